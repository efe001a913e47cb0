#include "metrics/bleu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace mha {
namespace {

using Lines = std::vector<std::string>;

const Lines kHypotheses = {"The cat sat on the mat .", "It rained , so we stayed .", "Two dogs bark loudly at us"};
const References kReferences = {
    {"The cat sat on a mat .", "It rained and we stayed in .", "Two dogs barked at us loudly"},
    {"A cat sat on the mat .", "Rain fell , so we stayed .", "The dogs bark loudly at us !"}};

TEST(Bleu, HandComputedScore) {
  // 5 of 6 unigrams, 3 of 5 bigrams, 1 of 4 trigrams, no 4-gram of 3: exp puts one half there. No brevity penalty.
  const BleuScore score = corpus_bleu({"a b c x d e"}, {{"a b c y d e"}});
  EXPECT_NEAR(score.score, 100 * std::pow(5.0 / 6 * 3 / 5 * 1 / 4 * 0.5 / 3, 0.25), 1e-9);
  EXPECT_EQ(score.counts, (std::vector<std::int64_t>{5, 3, 1, 0}));
  EXPECT_EQ(score.totals, (std::vector<std::int64_t>{6, 5, 4, 3}));
}

TEST(Bleu, BrevityPenaltyTakesTheNearestReferenceAndOfTwoTheShorter) {
  const Lines hypothesis = {"a b c d"};
  EXPECT_EQ(corpus_bleu(hypothesis, {{"a b c d e f"}, {"a b c d e"}}).ref_len, 5);
  EXPECT_EQ(corpus_bleu(hypothesis, {{"a b c d e"}, {"a b c"}}).ref_len, 3);
  EXPECT_NEAR(corpus_bleu(hypothesis, {{"a b c d e f"}}).bp, std::exp(1 - 6.0 / 4), 1e-15);
}

TEST(Bleu, MatchesAreClippedByTheReferenceThatHasMost) {
  const BleuScore score = corpus_bleu({"the the the the"}, {{"the cat the"}, {"the dog"}});
  EXPECT_EQ(score.counts[0], 2);
}

TEST(Bleu, SentenceStatsAddUpToTheCorpusScore) {
  const auto stats = bleu_sentence_stats(kHypotheses, kReferences);
  ASSERT_EQ(stats.size(), 3U);
  const BleuScore corpus = corpus_bleu(kHypotheses, kReferences);
  BleuStats sum;
  for (const auto& sentence : stats) sum += sentence;
  EXPECT_EQ(bleu_from_stats({&sum, 1}, {}, 2).format(10), corpus.format(10));
  EXPECT_EQ(bleu_from_stats(stats, {}, 2).score, corpus.score);
  EXPECT_GT(corpus.score, 40.0);
  // A resample, as a bootstrap draws it: the first sentence twice is the corpus of that sentence twice.
  const std::vector<BleuStats> resample = {stats[0], stats[0]};
  const Lines twice = {kHypotheses[0], kHypotheses[0]};
  const References twice_references = {{kReferences[0][0], kReferences[0][0]}, {kReferences[1][0], kReferences[1][0]}};
  EXPECT_EQ(bleu_from_stats(resample).score, corpus_bleu(twice, twice_references).score);
}

TEST(Bleu, StatsOfNoSentenceScoreZero) {
  const BleuScore score = bleu_from_stats({});
  EXPECT_EQ(score.score, 0.0);
  EXPECT_EQ(score.ratio, 0.0);
}

TEST(Bleu, EffectiveOrderScoresShortSentences) {
  EXPECT_EQ(corpus_bleu({"a b"}, {{"a b"}}).score, 0.0);
  EXPECT_NEAR(corpus_bleu({"a b"}, {{"a b"}}, {.effective_order = true}).score, 100.0, 1e-9);
}

// Ten tokens. A split at ASCII spaces alone would make eight of them, six of which match.
TEST(Bleu, NonBreakingSpacesAreSpaces) {
  const BleuScore score = corpus_bleu({"a b\u00A0c d e f g\u00A0h i j"}, {{"a b c d e f g h i j"}});
  EXPECT_NEAR(score.score, 100.0, 1e-9);
  EXPECT_EQ(score.hyp_len, 10);
}

TEST(Bleu, SignatureNamesEverySetting) {
  EXPECT_EQ(corpus_bleu(kHypotheses, kReferences).signature(),
            "nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0");
  const BleuOptions options{.tokenize = BleuTokenizer::kIntl,
                            .lowercase = true,
                            .smooth_method = BleuSmoothing::kFloor,
                            .smooth_value = 0.25,
                            .effective_order = true};
  EXPECT_EQ(corpus_bleu(kHypotheses, kReferences, options).signature(),
            "nrefs:2|case:lc|eff:yes|tok:intl|smooth:floor[0.25]|version:2.6.0");
}

TEST(Bleu, JsonIsSacrebleusObject) {
  const auto json = corpus_bleu({"a b c d"}, {{"a b c d"}}).to_json();
  std::vector<std::string> keys;
  for (const auto& item : json.items()) keys.push_back(item.key());
  EXPECT_THAT(keys, testing::ElementsAre("name", "score", "signature", "verbose_score", "nrefs", "case", "eff", "tok",
                                         "smooth", "version", "implementation"));
  EXPECT_EQ(json["verbose_score"], "100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)");
  EXPECT_EQ(json["score"], 100.0);
}

TEST(Bleu, RefusesOptionsWithoutMeaning) {
  EXPECT_THROW(BleuOptions{.smooth_value = 0.5}.check(), UserError);
  EXPECT_THROW((BleuOptions{.smooth_method = BleuSmoothing::kNone, .smooth_value = 0.5}.check()), UserError);
  EXPECT_THROW((BleuOptions{.smooth_method = BleuSmoothing::kFloor, .smooth_value = -1}.check()), UserError);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((BleuOptions{.smooth_method = BleuSmoothing::kAddK, .smooth_value = nan}.check()), UserError);
  EXPECT_THROW(BleuOptions{.max_ngram_order = 0}.check(), UserError);
  EXPECT_THROW(BleuOptions{.max_ngram_order = kMaxBleuOrder + 1}.check(), UserError);
  EXPECT_NO_THROW((BleuOptions{.smooth_method = BleuSmoothing::kAddK, .smooth_value = 2}.check()));
  EXPECT_THROW(parse_bleu_smoothing("add_k"), UserError);
}

TEST(Bleu, SmoothingNamesGoBothWays) {
  for (const auto& name : bleu_smoothing_names()) EXPECT_EQ(bleu_smoothing_name(parse_bleu_smoothing(name)), name);
  EXPECT_EQ(bleu_smoothing_names().size(), 4U);
}

}  // namespace
}  // namespace mha
