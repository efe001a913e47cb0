#include "app/test_run.h"

#include <cmath>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "eval/phenomena.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "report/field_json.h"

namespace mha {

std::filesystem::path cache_folder(const RunConfig& config, const std::filesystem::path& run_folder) {
  if (!config.data.cache_dir.empty()) return config.data.cache_dir;
  const auto folder = std::filesystem::absolute(run_folder / "").lexically_normal();  // ends with a "/"
  return folder.parent_path().parent_path() / "cache";
}

BleuOptions bleu_options(const ScoreConfig& config) {
  return {.tokenize = parse_bleu_tokenizer(to_string(config.tokenize)), .lowercase = config.lowercase};
}

SplitScore score_split(const TextModel& text_model, const RunConfig& config, const SplitToScore& what,
                       const std::filesystem::path& cache_dir) {
  const Stopwatch watch;
  SplitScore score;
  if (what.split.target.empty() && what.split.tsv.empty()) {
    throw UserError("the " + what.name + " split has no targets to score against");
  }
  // Opened before the text is read: it refuses pipes, which could not be read twice.
  const CorpusPtr corpus = open_corpus(what.split, what.name, text_model.vocabularies, text_model.encoding, cache_dir);
  ParallelText text = read_parallel(what.split, what.name);
  const auto contrasts =
      what.split.annotations.empty() ? std::vector<Contrast>() : read_contrasts(what.split.annotations, text);
  const CorpusLoss loss = corpus_loss(text_model.model, *corpus, kScoringTokens);
  if (!contrasts.empty()) {
    score.phenomena = score_phenomena(
        contrasts, text, [&](const auto& pairs) { return pair_log_probs(text_model, pairs, kScoringTokens); });
  }
  score.sources = std::move(text.source);
  score.references = std::move(text.target);
  TranslatedLines translated = translate_lines(text_model, score.sources, config.decode);
  score.hypotheses = std::move(translated.lines);

  TestReport& report = score.report;
  report.source_hash = sha256_lines(score.sources);
  report.reference_hash = sha256_lines(score.references);
  report.sentences = static_cast<std::int64_t>(score.references.size());
  report.target_tokens = loss.tokens;
  report.truncated = corpus->counts().truncated;
  report.nll_loss = loss.mean();
  report.ppl = std::exp(report.nll_loss);
  const References references = {score.references};
  const bool lowercase = config.score.lowercase;
  report.bleu = corpus_bleu(score.hypotheses, references, bleu_options(config.score)).to_json();
  report.chrf = corpus_chrf(score.hypotheses, references, {.lowercase = lowercase}).to_json();
  report.chrf_plus_plus =
      corpus_chrf(score.hypotheses, references, {.word_order = 2, .lowercase = lowercase}).to_json();
  report.decode = config_to_json(config).at("decode");
  report.decode_path = translated.path;
  report.decode_precision = translated.precision;
  report.decode_seconds = translated.seconds;
  report.seconds = watch.seconds();
  return score;
}

std::string hypotheses_text(const SplitScore& score) {
  std::string lines;
  for (const std::string& line : score.hypotheses) lines += line + "\n";
  return lines;
}

json score_to_json(const SplitScore& score) {
  return {{"test", field_to_json(score.report)}, {"phenomena", field_to_json(score.phenomena)}};
}

std::string score_table(const SplitScore& score) {
  const TestReport& report = score.report;
  const auto metric = [](const char* label, const json& value) {
    return std::string(label) + format_fixed(value.at("score").get<double>(), 2) + "  " +
           value.at("signature").get<std::string>() + "\n";
  };
  std::string out = "sentences  " + format_count(report.sentences) + "\n";
  out += "nll_loss   " + format_fixed(report.nll_loss, 4) + "  nats per target token\n";
  out += "ppl        " + format_fixed(report.ppl, 3) + "  per target subword\n";
  out += metric("BLEU       ", report.bleu) + metric("chrF       ", report.chrf) +
         metric("chrF++     ", report.chrf_plus_plus);
  return score.phenomena.empty() ? out : out + "\n" + phenomena_table(score.phenomena);
}

}  // namespace mha
