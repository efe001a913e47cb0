#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/config_options.h"
#include "app/training_run.h"
#include "base/error.h"

namespace mha {
namespace {

struct TrainArguments {
  ConfigArguments config;
  bool dry_run = false, resume = false, as_json = false, wait = false;
  std::int64_t stop_after = 0;
};

int train(const TrainArguments& arguments) {
  const LoadedConfig loaded = load_config(arguments.config);
  if (arguments.dry_run) {
    std::puts(dump_json(loaded.resolved).c_str());
    return static_cast<int>(ExitCode::ok);
  }
  return run_training(loaded, {.resume = arguments.resume,
                               .as_json = arguments.as_json,
                               .wait = arguments.wait,
                               .stop_after = arguments.stop_after});
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
  add_config_options(app, arguments->config);
  app.get_option("--config")->description("Configuration file (JSON); this alone trains, tests and writes a report");
  app.add_flag("--dry-run", arguments->dry_run, "Resolve and check the configuration, print it, do nothing");
  app.add_flag("--resume", arguments->resume,
               "Go on with an unfinished run exactly where it stopped; start it if there is nothing yet");
  app.add_flag("--wait", arguments->wait,
               "If another process uses the run folder, wait until it has ended instead of failing");
  app.add_option(
         "--stop-after-updates", arguments->stop_after,
         "Pause the training after so many updates in all, saved, as if it were interrupted there; --resume goes "
         "on. Unlike train.max_update it belongs to the invocation, not to the run")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40U));
  app.add_flag("--json", arguments->as_json, "Print the report as JSON instead of the short table");
  app.callback([arguments, &app, &action] {
    if (const auto commands = app.get_subcommands(); !commands.empty()) {
      refuse_beside_command(app, commands.front()->get_name());
      return;
    }
    if (arguments->config.config.empty()) throw CLI::RequiredError("--config or a command");
    action = [arguments] { return train(*arguments); };
  });
}

}  // namespace mha
