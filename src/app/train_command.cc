#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/training_run.h"
#include "base/error.h"
#include "base/text.h"
#include "config/config.h"
#include "model/attention/kind_list.h"

namespace mha {
namespace {

struct TrainArguments {
  std::string config;
  std::vector<std::string> set;
  std::string run_dir, device;
  std::optional<std::int64_t> seed, threads;
  bool dry_run = false, resume = false, as_json = false;
};

/// The text of an option as JSON, so that it is taken as text whatever it looks like.
std::string quoted(const std::string& option, const std::string& text) {
  if (invalid_utf8_at(text) == std::string_view::npos) return dump_json(text, -1);
  throw UserError(option + " " + text + ": not UTF-8, which config.json is written in; choose another name");
}

std::vector<Assignment> assignments(const TrainArguments& arguments) {
  std::vector<Assignment> all;
  for (const std::string& text : arguments.set) all.push_back(parse_assignment(text));
  if (!arguments.run_dir.empty()) all.push_back({"run_dir", quoted("--run-dir", arguments.run_dir), "--run-dir"});
  if (!arguments.device.empty()) all.push_back({"device", quoted("--device", arguments.device), "--device"});
  if (arguments.seed) all.push_back({"seed", std::to_string(*arguments.seed), "--seed"});
  if (arguments.threads) all.push_back({"threads", std::to_string(*arguments.threads), "--threads"});
  return all;
}

int train(const TrainArguments& arguments) {
  const LoadedConfig loaded = load_config(arguments.config, assignments(arguments), attention_kind_names());
  if (arguments.dry_run) {
    std::puts(dump_json(loaded.resolved).c_str());
    return static_cast<int>(ExitCode::ok);
  }
  return run_training(loaded, {.resume = arguments.resume, .as_json = arguments.as_json});
}

/// The options of the main job mean nothing to a command; what is meant for it stands behind its name.
void refuse_beside_command(const CLI::App& app, const std::string& command) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0) continue;
    throw CLI::ParseError(option->get_name() + " is an option of training and has no effect before the command " +
                              command + "; leave it out, or write it after the command if that has it",
                          CLI::ExitCodes::ExcludesError);
  }
}

}  // namespace

void add_train_options(CLI::App& app, std::function<int()>& action) {
  const auto arguments = std::make_shared<TrainArguments>();
  app.add_option("--config", arguments->config,
                 "Configuration file (JSON); this alone trains, tests and writes a report");
  app.add_option("--set", arguments->set, "Set one key, e.g. --set attention.num_heads=4; any number of times")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--run-dir", arguments->run_dir, "Folder of the run (run_dir)");
  app.add_option("--seed", arguments->seed, "Seed of everything random (seed)");
  app.add_option("--threads", arguments->threads, "Processor threads (threads)");
  app.add_option("--device", arguments->device, "auto, cpu or cuda (device)");
  app.add_flag("--dry-run", arguments->dry_run, "Resolve and check the configuration, print it, do nothing");
  app.add_flag("--resume", arguments->resume,
               "Go on with an unfinished run exactly where it stopped; start it if there is nothing yet");
  app.add_flag("--json", arguments->as_json, "Print the report as JSON instead of the short table");
  app.callback([arguments, &app, &action] {
    if (const auto commands = app.get_subcommands(); !commands.empty()) {
      refuse_beside_command(app, commands.front()->get_name());
      return;
    }
    if (arguments->config.empty()) throw CLI::RequiredError("--config or a command");
    action = [arguments] { return train(*arguments); };
  });
}

}  // namespace mha
