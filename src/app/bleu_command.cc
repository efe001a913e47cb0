#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"

namespace mha {
namespace {

struct BleuArguments {
  std::vector<std::string> references;
  std::string input = "-";  // standard input
  std::vector<std::string> metrics = {"bleu"};
  std::string tokenize = "13a", smooth_method = "exp";
  std::optional<double> smooth_value;
  bool lowercase = false, effective_order = false, sentence_level = false, as_json = false;
  std::optional<int> width;
};

/// The score of each segment (sentence level) or the one score of all of them.
using SegmentScores = std::vector<ScoreText>;

struct ScoredFiles {
  std::vector<std::string> hypotheses;
  References references;
};

BleuOptions bleu_options(const BleuArguments& arguments) {
  BleuOptions options{.tokenize = parse_bleu_tokenizer(arguments.tokenize),
                      .lowercase = arguments.lowercase,
                      .smooth_method = parse_bleu_smoothing(arguments.smooth_method),
                      .smooth_value = arguments.smooth_value,
                      .effective_order = arguments.effective_order || arguments.sentence_level};
  options.check();
  return options;
}

SegmentScores score_bleu(const ScoredFiles& files, const BleuArguments& arguments) {
  const BleuOptions options = bleu_options(arguments);
  const auto stats = bleu_sentence_stats(files.hypotheses, files.references, options);
  if (!arguments.sentence_level) return {bleu_from_stats(stats, options, files.references.size()).text};
  SegmentScores scores;
  for (const auto& s : stats) scores.push_back(bleu_from_stats({&s, 1}, options, files.references.size()).text);
  return scores;
}

SegmentScores score_chrf(const ScoredFiles& files, const BleuArguments& arguments, std::size_t word_order) {
  const ChrfOptions options{.word_order = word_order, .lowercase = arguments.lowercase};
  const auto stats = chrf_sentence_stats(files.hypotheses, files.references, options);
  if (!arguments.sentence_level) return {chrf_from_stats(stats, options, files.references.size()).text};
  SegmentScores scores;
  for (const auto& s : stats) scores.push_back(chrf_from_stats({&s, 1}, options, files.references.size()).text);
  return scores;
}

SegmentScores score_metric(const std::string& metric, const ScoredFiles& files, const BleuArguments& arguments) {
  if (metric == "bleu") return score_bleu(files, arguments);
  return score_chrf(files, arguments, metric == "chrf++" ? 2 : 0);
}

/// One line a score, or one JSON value for all metrics of a segment: an object, or an array of several.
void print_segment(std::ostream& out, const std::vector<ScoreText>& scores, const BleuArguments& arguments) {
  if (!arguments.as_json) {
    for (const auto& score : scores) out << score.format(arguments.width.value_or(2)) << '\n';
    return;
  }
  json values = json::array();
  for (const auto& score : scores) values.push_back(score.to_json(arguments.width));
  const int one_line = -1, indent = 2;
  out << dump_json(values.size() == 1 ? values[0] : values, arguments.sentence_level ? one_line : indent) << '\n';
}

int run_bleu(const BleuArguments& arguments) {
  bleu_options(arguments);  // before any file is read
  const bool from_stdin = arguments.input == "-";
  ScoredFiles files{.hypotheses = read_input_lines(arguments.input), .references = {}};
  for (const auto& path : arguments.references) files.references.push_back(read_lines(path));

  std::vector<SegmentScores> by_metric;
  try {
    for (const auto& metric : arguments.metrics) by_metric.push_back(score_metric(metric, files, arguments));
  } catch (const UserError& error) {
    throw UserError((from_stdin ? "standard input" : arguments.input) + " against " + join(arguments.references, ", ") +
                    ": " + error.what());
  }
  for (std::size_t segment = 0; segment < by_metric.front().size(); ++segment) {
    std::vector<ScoreText> scores;
    for (const auto& metric : by_metric) scores.push_back(metric[segment]);
    print_segment(std::cout, scores, arguments);
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_bleu_command(CLI::App& app, std::function<int()>& action) {
  auto arguments = std::make_shared<BleuArguments>();
  BleuArguments& a = *arguments;
  CLI::App* command = app.add_subcommand("bleu", "Score translations: BLEU, chrF, chrF++ as sacreBLEU 2.6.0");
  command->add_option("references", a.references, "Reference files, one translation a line, plain or .gz")->required();
  command->add_option("-i,--input", a.input, "Hypothesis file; - is standard input")->capture_default_str();
  command->add_option("-m,--metrics", a.metrics, "bleu, chrf, chrf++; several with commas")
      ->delimiter(',')
      ->check(CLI::IsMember({"bleu", "chrf", "chrf++"}))
      ->capture_default_str();
  command->add_option("--tokenize", a.tokenize, "BLEU: tokeniser")
      ->check(CLI::IsMember(bleu_tokenizer_names()))
      ->capture_default_str();
  command->add_flag("--lowercase", a.lowercase, "Ignore case");
  command->add_option("--smooth-method", a.smooth_method, "BLEU: what orders without a match count as")
      ->check(CLI::IsMember(bleu_smoothing_names()))
      ->capture_default_str();
  command->add_option("--smooth-value", a.smooth_value, "BLEU: value for floor (0.1) or add-k (1)");
  command->add_flag("--effective-order", a.effective_order, "BLEU: leave out n-grams longer than the hypothesis");
  command->add_flag("--sentence-level", a.sentence_level, "A score for each line, BLEU with effective order");
  command->add_flag("--json", a.as_json, "sacreBLEU's JSON object; exact unless --width is given");
  command->add_option("--width", a.width, "Decimals of the scores; 2 in text")->check(CLI::Range(0, 17));
  command->callback([arguments, &action] { action = [arguments] { return run_bleu(*arguments); }; });
}

}  // namespace mha
