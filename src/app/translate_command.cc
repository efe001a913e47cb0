#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/model_options.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "decode/search_models.h"
#include "decode/translator.h"

namespace mha {
namespace {

struct TranslateArguments : ModelArguments {
  std::string input = "-", output = "-";
  bool scores = false, as_json = false;
};

json as_json_line(std::size_t line, const std::string& source, const Translation& translation) {
  json nbest = json::array();
  for (const ScoredText& one : translation.nbest) {
    nbest.push_back({{"text", one.text},
                     {"score", one.hypothesis.score},
                     {"log_prob", one.hypothesis.log_prob},
                     {"length", one.hypothesis.tokens.size()}});
  }
  return {{"line", line}, {"source", source}, {"translations", nbest}};
}

/// One line per source line; with nbest or scores, columns: number of the source line, score, translation.
std::string format(const TranslateArguments& arguments, const std::vector<std::string>& sources,
                   const std::vector<Translation>& translations) {
  std::string out;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    if (arguments.as_json) {
      out += dump_json(as_json_line(i + 1, sources[i], translations[i]), -1) + "\n";
      continue;
    }
    for (const ScoredText& one : translations[i].nbest) {
      if (arguments.scores || arguments.nbest)
        out += std::to_string(i + 1) + "\t" + format_fixed(one.hypothesis.score, 4) + "\t";
      out += one.text + "\n";
    }
  }
  return out;
}

void log_speed(const SearchModels& models, const TranslationCounts& counts, double seconds) {
  const double rate = static_cast<double>(counts.lines) / seconds;
  log_info("translated " + format_count(counts.lines) + (counts.lines == 1 ? " line in " : " lines in ") +
           format_fixed(seconds, 3) + " s (" + format_fixed(rate, 1) + " a second) by the " + models.path +
           " path in " + models.precision);
}

int translate(const TranslateArguments& arguments) {
  std::optional<AtomicFile> output;  // made now: what cannot be written is to be known before the work
  if (arguments.output != "-") output.emplace(arguments.output);
  const std::vector<std::string> sources = read_input_lines(arguments.input);
  const TrainedModel trained = load_trained_model(arguments.model);
  const TextModel text_model = trained.text_model();
  const Stopwatch watch;
  const DecodeConfig search = search_settings(arguments, trained.config.decode);
  const SearchModels models = make_search_models(*trained.model, search, trained.environment.threads);
  Translator translator(models.workers(), text_model.vocabularies, search, text_model.encoding);
  const std::vector<Translation> translations = translator.translate(sources);
  log_speed(models, translator.counts(), watch.seconds());
  const std::string out = format(arguments, sources, translations);
  if (const std::int64_t cut = translator.counts().cut_lines; cut > 0) {
    log_warning(format_count(cut) + " lines were longer than data.max_source_length, " +
                std::to_string(text_model.encoding.max_source_length) + " subwords, and were cut to it");
  }
  const auto not_text = std::ranges::count_if(
      sources, [](const std::string& line) { return invalid_utf8_at(line) != std::string_view::npos; });
  if (not_text > 0) {
    log_warning(format_count(not_text) + " lines hold bytes that are not UTF-8; U+FFFD was read in their place");
  }
  if (output) {
    output->write(out);
    output->commit();
  } else {
    std::fputs(out.c_str(), stdout);
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_translate_command(CLI::App& app, std::function<int()>& action) {
  const auto arguments = std::make_shared<TranslateArguments>();
  CLI::App* command = app.add_subcommand("translate", "Translate text with a trained model, one line in, one line out");
  add_model_options(*command, *arguments);
  command->add_option("-i,--input", arguments->input, "Source text, plain or .gz; - for standard input")
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "Where the translations go; - for standard output")
      ->capture_default_str();
  command->add_option("--nbest", arguments->nbest, "Translations per line, each with its line number and score")
      ->check(CLI::PositiveNumber);
  command->add_flag("--scores", arguments->scores, "Line number and score before each translation, separated by tabs");
  command->add_flag("--json", arguments->as_json, "One JSON object per source line");
  command->callback([arguments, &action] { action = [arguments] { return translate(*arguments); }; });
}

}  // namespace mha
