#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/config_options.h"
#include "app/environment.h"
#include "app/sweep_run.h"
#include "base/error.h"
#include "base/log.h"
#include "base/system.h"
#include "config/values.h"
#include "model/attention/kind_list.h"
#include "sweep/byte_size.h"
#include "sweep/launcher.h"
#include "sweep/plan_table.h"

namespace mha {
namespace {

struct SweepArguments {
  ConfigArguments config;
  std::vector<std::string> axes;
  std::string hold, baseline, max_memory, shard;
  bool dry_run = false, as_json = false;
  SweepRunOptions run;
};

SweepPlan plan_of(const SweepArguments& arguments) {
  PlanRequest request{.file = arguments.config.config,
                      .assignments = assignments(arguments.config),
                      .axes = arguments.axes,
                      .hold = std::nullopt,
                      .baseline = arguments.baseline,
                      .kinds = attention_kind_names()};
  // CLI11 has checked that it is one of them.
  if (!arguments.hold.empty()) ValueType<Hold>::read(arguments.hold, {}, {}, request.hold.emplace());
  if (!arguments.max_memory.empty()) request.max_memory = parse_bytes(arguments.max_memory, "--max-memory");
  SweepPlan plan = make_plan(request, plan_functions(arguments.run, arguments.dry_run));
  plan.command = shell_quoted(command_line());
  for (const std::string& note : plan.notes) log_warning(note);
  return plan;
}

int sweep(const SweepArguments& arguments) {
  SweepRunOptions options = arguments.run;
  options.as_json = arguments.as_json;
  if (!arguments.shard.empty()) options.shard = parse_shard(arguments.shard);
  check_options(options);
  const SweepPlan plan = plan_of(arguments);
  if (arguments.dry_run) {
    std::fputs((arguments.as_json ? dump_json(plan_json(plan)) + "\n" : plan_text(plan)).c_str(), stdout);
    return static_cast<int>(ExitCode::ok);
  }
  return run_sweep(plan, options);
}

void add_slurm_options(CLI::App& command, SweepRunOptions& options) {
  command.add_option("--time", options.slurm_time, "With slurm: time limit of a run, as sbatch takes it");
  command.add_option("--partition", options.slurm_partition, "With slurm: the partition");
  command
      .add_option("--sbatch-arg", options.sbatch_arguments,
                  "With slurm: passed on to sbatch as it is, e.g. --sbatch-arg=--mem=8G; any number of times")
      ->take_all()
      ->allow_extra_args(false);
}

}  // namespace

void add_sweep_command(CLI::App& app, std::function<int()>& action) {
  const auto arguments = std::make_shared<SweepArguments>();
  SweepRunOptions& run = arguments->run;
  CLI::App* command = app.add_subcommand(
      "sweep", "Train every cell of a grid: mha-train sweep --config base.json h=1,2,4 d_k=8,16 seed=1,2,3");
  command->add_option("axes", arguments->axes,
                      "NAME=VALUES: h, d_k, seed or any key of the configuration; values by commas, or ranges such as "
                      "1..32*2 and 16..64+16");
  command->add_option("--config", arguments->config.config, "Base configuration (JSON)")->required();
  command->add_option("--set", arguments->config.set, "Set one key of the base; any number of times")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--threads", arguments->config.threads,
                      "Processor threads of the whole sweep; with slurm, of one run");
  command->add_option("--device", arguments->config.device, "auto, cpu or cuda (device)");
  command->add_option("--out", run.out, "Folder of the sweep; without it sweeps/NAME")->check(not_empty());
  command->add_option("--hold", arguments->hold, "What is held fixed over the grid: nothing, h*d_k, params or flops")
      ->check(CLI::IsMember(enum_words<Hold>()));
  command->add_option("--baseline", arguments->baseline, "The cell that others are compared with, as h=8,d_k=64")
      ->check(not_empty());
  command
      ->add_option("--max-memory", arguments->max_memory,
                   "Leave out cells that are expected to need more, as 2GB or 512MiB")
      ->check(not_empty());
  command->add_flag("--dry-run", arguments->dry_run, "Print the plan and do nothing");
  command->add_flag("--json", arguments->as_json, "Print sweep.json, or with --dry-run the plan, instead of a table");
  command->add_option("--jobs", run.jobs, "Runs at a time; without it what is measured to be the fastest")
      ->check(CLI::Range(1, 4096));
  command->add_flag("--retry-failed", run.retry_failed, "Start failed, diverged and out-of-memory runs again, too");
  command->add_flag("--halving", run.halving,
                    "Successive halving: only the best third of the cells goes on at each rung");
  CLI::Option* launcher = command->add_option("--launcher", run.launcher, "local or slurm")
                              ->check(CLI::IsMember({"local", "slurm"}))
                              ->capture_default_str();
  command->add_option("--shard", arguments->shard, "i/n: this process drives every n-th run, from the i-th");
  command
      ->add_flag("--print-commands", run.print_commands,
                 "Print the command of each open run, one a line, for GNU parallel and the like; start nothing")
      ->excludes(launcher);
  add_slurm_options(*command, run);
  command->callback([arguments, &action] { action = [arguments] { return sweep(*arguments); }; });
}

}  // namespace mha
