#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/model_options.h"
#include "app/test_run.h"
#include "base/error.h"
#include "base/json.h"
#include "report/run_report.h"

namespace mha {
namespace {

struct EvalArguments : ModelArguments {
  std::string split = "test";
  std::string source, target, annotations, hypotheses;
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

int evaluate(const EvalArguments& arguments) {
  TrainedModel trained = load_trained_model(arguments.model);
  trained.config.decode = search_settings(arguments, trained.config.decode);
  const SplitConfig split = split_of(arguments, trained.config);
  const std::filesystem::path run_folder = trained.weights.parent_path().parent_path();
  SplitScore score = score_split(trained.text_model(), trained.config, {split, arguments.split, arguments.hypotheses},
                                 cache_folder(trained.config, run_folder));
  score.report.weights = trained.weights.stem().string();
  score.report.weights_file = trained.weights.string();
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
  command->add_option("--split", arguments->split, "Split of the run's configuration")
      ->check(CLI::IsMember({"train", "valid", "test"}))
      ->capture_default_str();
  command->add_option("--source", arguments->source, "Source text instead of a split of the run");
  command->add_option("--target", arguments->target, "Reference translations of --source");
  command->add_option("--annotations", arguments->annotations, "Annotations (JSON lines) for accuracy per phenomenon");
  command->add_option("-o,--hypotheses", arguments->hypotheses, "Write the translations to this file");
  command->add_flag("--json", arguments->as_json, "Print JSON");
  command->callback([arguments, &action] { action = [arguments] { return evaluate(*arguments); }; });
}

}  // namespace mha
