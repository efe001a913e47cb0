#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/model_options.h"
#include "app/test_run.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "report/run_report.h"

namespace mha {
namespace {

struct EvalArguments : ModelArguments {
  std::string split = "test";
  std::string source, target, annotations, hypotheses, tokenize;
  bool as_json = false;
};

SplitConfig split_of(const EvalArguments& arguments, const RunConfig& config) {
  SplitConfig split = arguments.split == "valid"   ? config.data.valid
                      : arguments.split == "train" ? config.data.train
                                                   : config.data.test;
  if (!arguments.source.empty() || !arguments.target.empty()) {
    if (arguments.source.empty() || arguments.target.empty()) throw UserError("--source and --target go together");
    split = {};
    split.source = {arguments.source};
    split.target = {arguments.target};
  }
  if (!arguments.annotations.empty()) split.annotations = arguments.annotations;
  if (!split.given())
    throw UserError("the run has no " + arguments.split + " split; give the files with --source and --target");
  return split;
}

/// CLI11 has checked that the name is one of them.
ScoreTokenizer score_tokenizer(const std::string& name) {
  const auto names = enum_names(ScoreTokenizer{});
  return static_cast<ScoreTokenizer>(std::ranges::find(names, name) - names.begin());
}

int evaluate(const EvalArguments& arguments) {
  std::optional<AtomicFile> hypotheses;  // made now: what cannot be written is to be known before the work
  if (!arguments.hypotheses.empty()) {
    const std::filesystem::path file(arguments.hypotheses);
    if (file.has_parent_path()) make_directories(file.parent_path());
    hypotheses.emplace(file);
  }
  TrainedModel trained = load_trained_model(arguments.model);
  trained.config.decode = search_settings(arguments, trained.config.decode);
  if (!arguments.tokenize.empty()) trained.config.score.tokenize = score_tokenizer(arguments.tokenize);
  const SplitConfig split = split_of(arguments, trained.config);
  SplitScore score = score_split(trained.text_model(), trained.config, {split, arguments.split},
                                 cache_folder(trained.config, trained.run_folder));
  if (hypotheses) {
    hypotheses->write(hypotheses_text(score));
    hypotheses->commit();
  }
  score.report.weights = trained.weights.stem().string();
  score.report.weights_file = trained.weights.lexically_relative(trained.run_folder).string();
  score.report.hypotheses = arguments.hypotheses;
  if (arguments.as_json) {
    std::puts(dump_json(score_to_json(score)).c_str());
  } else {
    std::fputs(score_table(score).c_str(), stdout);
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_eval_command(CLI::App& app, std::function<int()>& action) {
  const auto arguments = std::make_shared<EvalArguments>();
  CLI::App* command = app.add_subcommand(
      "eval", "Score a trained model on a split or on any pair of files: loss, BLEU, chrF, phenomena");
  add_model_options(*command, *arguments);
  CLI::Option* split = command->add_option("--split", arguments->split, "Split of the run's configuration");
  split->check(CLI::IsMember({"train", "valid", "test"}))->capture_default_str();
  CLI::Option* source = command->add_option("--source", arguments->source, "Source text instead of a split of the run");
  CLI::Option* target = command->add_option("--target", arguments->target, "Reference translations of --source");
  split->excludes(source)->excludes(target);
  command->add_option("--annotations", arguments->annotations, "Annotations (JSON lines) for accuracy per phenomenon");
  command->add_option("-o,--hypotheses", arguments->hypotheses, "Write the translations to this file");
  command->add_option("--tokenize", arguments->tokenize, "sacreBLEU's tokeniser for BLEU, instead of the run's")
      ->check(CLI::IsMember(bleu_tokenizer_names()));
  command->add_flag("--json", arguments->as_json, "Print JSON");
  command->callback([arguments, &action] { action = [arguments] { return evaluate(*arguments); }; });
}

}  // namespace mha
