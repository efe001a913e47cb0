#include "app/test_run.h"

#include <cmath>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "eval/phenomena.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "report/field_json.h"

namespace mha {

std::filesystem::path cache_folder(const RunConfig& config, const std::filesystem::path& run_folder) {
  if (!config.data.cache_dir.empty()) return config.data.cache_dir;
  return std::filesystem::absolute(run_folder).parent_path() / "cache";
}

BleuOptions bleu_options(const ScoreConfig& config) {
  return {.tokenize = parse_bleu_tokenizer(to_string(config.tokenize)), .lowercase = config.lowercase};
}

SplitScore score_split(const TextModel& text_model, const RunConfig& config, const SplitToScore& what,
                       const std::filesystem::path& cache_dir) {
  const Stopwatch watch;
  SplitScore score;
  ParallelText text = read_parallel(what.split, what.name);
  if (text.target.empty()) throw UserError("the " + what.name + " split has no targets to score against");
  const auto contrasts =
      what.split.annotations.empty() ? std::vector<Contrast>() : read_contrasts(what.split.annotations, text);
  const CorpusPtr corpus = open_corpus(what.split, what.name, text_model.vocabularies, text_model.encoding, cache_dir);
  const CorpusLoss loss = corpus_loss(text_model.model, *corpus, kScoringTokens);
  if (!contrasts.empty()) {
    score.phenomena = score_phenomena(
        contrasts, text, [&](const auto& pairs) { return pair_log_probs(text_model, pairs, kScoringTokens); });
  }
  score.sources = std::move(text.source);
  score.references = std::move(text.target);
  score.hypotheses = translate_lines(text_model, score.sources, config.decode);

  TestReport& report = score.report;
  report.sentences = static_cast<std::int64_t>(score.references.size());
  report.target_tokens = loss.tokens;
  report.nll_loss = loss.mean();
  report.ppl = std::exp(report.nll_loss);
  const References references = {score.references};
  const bool lowercase = config.score.lowercase;
  report.bleu = corpus_bleu(score.hypotheses, references, bleu_options(config.score)).to_json();
  report.chrf = corpus_chrf(score.hypotheses, references, {.lowercase = lowercase}).to_json();
  report.chrf_plus_plus =
      corpus_chrf(score.hypotheses, references, {.word_order = 2, .lowercase = lowercase}).to_json();
  report.decode = config_to_json(config).at("decode");
  if (!what.hypotheses_file.empty()) {
    make_directories(what.hypotheses_file.parent_path());
    std::string lines;
    for (const std::string& line : score.hypotheses) lines += line + "\n";
    write_file(what.hypotheses_file, lines);
  }
  report.seconds = watch.seconds();
  return score;
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
