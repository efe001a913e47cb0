// What sacreBLEU 2.6.0 itself computed on random and adversarial lines; scripts/golden/make_bleu_golden.py wrote it.

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"

namespace mha {
namespace {

constexpr double kTolerance = 1e-9;

/// Rows of one kind; fails the test if there are not as many as expected.
std::vector<json> golden_rows(const std::string& kind, std::size_t at_least) {
  std::vector<json> rows;
  for (const auto& line : read_lines(MHA_SOURCE_DIR "/tests/golden/bleu_golden.jsonl")) {
    json row = parse_json(line, "bleu_golden.jsonl");
    if (row["kind"] == kind) rows.push_back(std::move(row));
  }
  EXPECT_GE(rows.size(), at_least);
  return rows;
}

BleuOptions bleu_options(const json& entry) {
  BleuOptions options{.tokenize = parse_bleu_tokenizer(entry["tokenize"].get<std::string>()),
                      .lowercase = entry["lowercase"].get<bool>(),
                      .smooth_method = parse_bleu_smoothing(entry["smooth_method"].get<std::string>()),
                      .smooth_value = std::nullopt,
                      .effective_order = entry["effective_order"].get<bool>(),
                      .max_ngram_order = entry["max_ngram_order"].get<std::size_t>()};
  if (entry.contains("smooth_value")) options.smooth_value = entry["smooth_value"].get<double>();
  return options;
}

void expect_bleu(const std::vector<std::string>& hypotheses, const References& references, const json& entry) {
  SCOPED_TRACE(entry.dump());
  const BleuScore score = corpus_bleu(hypotheses, references, bleu_options(entry));
  EXPECT_NEAR(score.score, entry["score"].get<double>(), kTolerance);
  if (!entry.contains("line")) return;
  EXPECT_EQ(score.format(), entry["line"].get<std::string>());
  EXPECT_NEAR(score.bp, entry["bp"].get<double>(), kTolerance);
  EXPECT_EQ(score.hyp_len, entry["hyp_len"].get<std::int64_t>());
  EXPECT_EQ(score.ref_len, entry["ref_len"].get<std::int64_t>());
  const auto precisions = entry["precisions"].get<std::vector<double>>();
  ASSERT_EQ(score.precisions.size(), precisions.size());
  for (std::size_t n = 0; n < precisions.size(); ++n) EXPECT_NEAR(score.precisions[n], precisions[n], kTolerance);
}

void expect_chrf(const std::vector<std::string>& hypotheses, const References& references, const json& entry) {
  SCOPED_TRACE(entry.dump());
  const ChrfOptions options{.char_order = entry.value("char_order", std::size_t{6}),
                            .word_order = entry["word_order"].get<std::size_t>(),
                            .beta = entry.value("beta", 2),
                            .lowercase = entry["lowercase"].get<bool>()};
  const ChrfScore score = corpus_chrf(hypotheses, references, options);
  EXPECT_NEAR(score.score, entry["score"].get<double>(), kTolerance);
  EXPECT_EQ(score.format(), entry["line"].get<std::string>());
}

TEST(BleuGolden, Tokens) {
  for (const json& row : golden_rows("tokens", 250)) {
    for (const auto& [name, tokens] : row["out"].items()) {
      EXPECT_EQ(bleu_tokens(row["in"].get<std::string>(), parse_bleu_tokenizer(name), row["lowercase"].get<bool>()),
                tokens.get<std::vector<std::string>>())
          << name << " " << row["in"].dump();
    }
  }
}

TEST(BleuGolden, CorpusScores) {
  std::size_t positive = 0;
  for (const json& row : golden_rows("corpus", 18)) {
    SCOPED_TRACE(row["hyp"].dump() + " against " + row["refs"].dump());
    const auto hypotheses = row["hyp"].get<std::vector<std::string>>();
    const auto references = row["refs"].get<References>();
    for (const json& entry : row["bleu"]) {
      expect_bleu(hypotheses, references, entry);
      positive += entry["score"] > 1.0 ? 1 : 0;
    }
    for (const json& entry : row["chrf"]) expect_chrf(hypotheses, references, entry);
  }
  EXPECT_GT(positive, 100U) << "scores of zero alone would prove nothing";
}

TEST(BleuGolden, SentenceScores) {
  for (const json& row : golden_rows("sentence", 100)) {
    SCOPED_TRACE(row.dump());
    const std::vector<std::string> hypothesis = {row["hyp"].get<std::string>()};
    References references;
    for (const json& reference : row["refs"]) references.push_back({reference.get<std::string>()});
    EXPECT_NEAR(corpus_bleu(hypothesis, references, {.effective_order = true}).score, row["bleu"].get<double>(),
                kTolerance);
    EXPECT_NEAR(corpus_chrf(hypothesis, references, {.word_order = 2}).score, row["chrf"].get<double>(), kTolerance);
  }
}

}  // namespace
}  // namespace mha
