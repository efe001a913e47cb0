#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>

#include "app/commands.h"
#include "app/config_options.h"
#include "app/cost_table.h"
#include "app/environment.h"
#include "app/machine_rate.h"
#include "app/run_cost.h"
#include "base/error.h"
#include "base/log.h"
#include "cost/one_head.h"

namespace mha {
namespace {

struct CostArguments {
  ConfigArguments config;
  std::optional<double> source_length, target_length;
  bool data = false, no_time = false, as_json = false;
};

int cost(const CostArguments& arguments) {
  const LoadedConfig loaded = load_config(arguments.config);
  const RunConfig& config = loaded.config;
  const Environment environment = set_up_environment(config);
  if (!arguments.no_time && !environment.device.is_cpu()) {
    throw UserError("time is measured on processors only, not on " + environment.device_name +
                    ": add --no-time to leave it out, or --device cpu");
  }
  RunShape shape = arguments.data ? shape_from_data(loaded, environment) : shape_on(config, environment);
  if (arguments.source_length) shape.source_length = *arguments.source_length;
  if (arguments.target_length) shape.target_length = *arguments.target_length;
  const auto bill = [&](const RunConfig& of) {
    std::optional<TrainingRate> rate;
    const bool fits = fits_to_be_measured(of, shape);
    if (!arguments.no_time && fits) rate = measure_training_rate(of, shape, environment);
    if (!arguments.no_time && !fits)
      log_warning("time is not measured: a model of this size may not fit into the memory that is free here");
    return make_bill(of, shape, rate);
  };
  CostComparison comparison{.shape = shape, .configured = bill(config), .one_head = std::nullopt};
  if (const std::optional<RunConfig> one_head = with_one_head(config)) comparison.one_head = bill(*one_head);
  if (arguments.as_json) {
    std::puts(dump_json(to_json(comparison)).c_str());
  } else {
    std::fputs(cost_tables(comparison).c_str(), stdout);
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_cost_command(CLI::App& app, std::function<int()>& action) {
  const auto arguments = std::make_shared<CostArguments>();
  CLI::App* command = app.add_subcommand(
      "cost",
      "What a configuration costs before it runs: parameters, multiply-adds, memory and time, and what one "
      "full-width head would");
  add_config_options(*command, arguments->config);
  command->get_option("--config")->required();
  add_point(*command, arguments->config);
  command->add_flag("--data", arguments->data,
                    "Make vocabularies and encode the texts, as a run would, and take sizes and lengths from "
                    "there instead of from the configuration");
  command->add_option("--source-length", arguments->source_length, "Mean tokens of a source sentence, EOS counted (25)")
      ->check(CLI::Range(1.0, 1e6));
  command->add_option("--target-length", arguments->target_length, "Mean tokens of a target sentence, EOS counted (25)")
      ->check(CLI::Range(1.0, 1e6));
  command->add_flag("--no-time", arguments->no_time, "Do not measure how fast this machine is");
  command->add_flag("--json", arguments->as_json, "Print JSON");
  command->callback([arguments, &action] { action = [arguments] { return cost(*arguments); }; });
}

}  // namespace mha
