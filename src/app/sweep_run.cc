#include "app/sweep_run.h"

#include <ATen/Context.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "analysis/sweep_page.h"
#include "app/config_options.h"
#include "app/environment.h"
#include "base/error.h"
#include "base/log.h"
#include "base/system.h"
#include "report/events.h"
#include "sweep/halving.h"
#include "sweep/local_launcher.h"
#include "sweep/runner.h"
#include "sweep/slurm_launcher.h"
#include "sweep/status.h"

namespace mha {
namespace {

constexpr const char* kThisProgram = "/proc/self/exe";

/// Where this program lies, for others to start.
std::string program_path() { return std::filesystem::read_symlink(kThisProgram).string(); }

RunConfig config_of(const Journal& journal, std::size_t run) {
  return config_from_json(journal.config(run), "run " + journal.run(run).id);
}

/// Threads of one run where nobody shares them out among several.
std::int64_t threads_of_one(const SweepPlan& plan) {
  const auto threads = plan.base["threads"].get<std::int64_t>();
  return threads > 0 ? threads : 1;
}

std::int64_t processors(const SweepPlan& plan) {
  const auto threads = plan.base["threads"].get<std::int64_t>();
  return threads > 0 ? threads : usable_processors();
}

/// What rungs need to be the same in every run.
struct RungBasis {
  std::int64_t max_update = 0, interval = 0;
  bool operator==(const RungBasis&) const = default;
};

RungBasis rung_basis(const RunConfig& config) {
  const char* needs = "--halving compares validation losses at shares of train.max_update: ";
  if (!config.train.max_update) throw UserError(std::string(needs) + "set train.max_update");
  if (config.train.validate_interval_updates == 0 || !config.data.valid.given())
    throw UserError(std::string(needs) + "set data.valid and train.validate_interval_updates");
  return {*config.train.max_update, config.train.validate_interval_updates};
}

/// Validation loss where the run stood at that update; one that ended before keeps its last.
std::optional<double> loss_at(const Journal& journal, std::size_t run, std::int64_t update) {
  const RunFolder folder = journal.folder(run);
  if (!std::filesystem::exists(folder.events())) return std::nullopt;
  std::optional<double> last;
  for (const Event& event : read_events(folder.events())) {
    const auto* validation = std::get_if<ValidationPoint>(&event.body);
    if (validation == nullptr || validation->num_updates > update) continue;
    if (validation->num_updates == update) return validation->nll_loss;
    last = validation->nll_loss;
  }
  return journal.run(run).status == SweepRunStatus::done ? last : std::nullopt;
}

std::unique_ptr<RunOrder> halving_order(const Journal& journal) {
  std::vector<Halving::Cell> cells;
  std::map<std::string, std::size_t> by_name;
  std::optional<RungBasis> basis;
  for (const std::size_t run : journal.mine()) {
    const RungBasis of_run = rung_basis(config_of(journal, run));
    if (basis && *basis != of_run)
      throw UserError("--halving needs the same train.max_update and validate_interval_updates in every cell");
    basis = of_run;
    const auto [place, is_new] = by_name.emplace(journal.run(run).cell, cells.size());
    if (is_new) cells.push_back({journal.run(run).cell, {}});
    cells[place->second].runs.push_back(run);
  }
  const std::vector<std::size_t> open = journal.open_runs();
  std::vector<std::size_t> over;
  std::ranges::set_difference(journal.mine(), open, std::back_inserter(over));
  const RungBasis b = basis.value_or(RungBasis{});
  return std::make_unique<Halving>(
      std::move(cells), halving_rungs(static_cast<std::int64_t>(by_name.size()), b.max_update, b.interval),
      [&journal](std::size_t run, std::int64_t update) { return loss_at(journal, run, update); }, over);
}

std::unique_ptr<Launcher> slurm_launcher(const Journal& journal, const SweepRunOptions& options) {
  SlurmLauncher::Options slurm{.root = journal.root(),
                               .name = "mha-" + journal.sweep().name,
                               .program = program_path(),
                               .arguments = {},
                               .at_once = options.jobs};
  if (!options.slurm_time.empty()) slurm.arguments.push_back("--time=" + options.slurm_time);
  if (!options.slurm_partition.empty()) slurm.arguments.push_back("--partition=" + options.slurm_partition);
  slurm.arguments.insert(slurm.arguments.end(), options.sbatch_arguments.begin(), options.sbatch_arguments.end());
  return std::make_unique<SlurmLauncher>(std::move(slurm));
}

}  // namespace

void check_options(const SweepRunOptions& options) {
  const bool slurm = options.launcher == "slurm";
  const bool of_slurm =
      !options.slurm_time.empty() || !options.slurm_partition.empty() || !options.sbatch_arguments.empty();
  if (!slurm && of_slurm) throw UserError("--time, --partition and --sbatch-arg are for --launcher slurm");
  if (slurm && options.halving) throw UserError("--halving decides between runs and is for the local launcher");
  if (slurm && options.shard.count > 1) {
    throw UserError(
        "--shard divides a grid among processes, --launcher slurm among the elements of an array: take one");
  }
  if (options.halving && options.shard.count > 1) {
    throw UserError("--halving compares all cells, which a --shard does not see");
  }
  if (options.print_commands && (options.halving || options.jobs > 0)) {
    throw UserError("--print-commands starts nothing, so --halving and --jobs have no meaning with it; leave them out");
  }
}

namespace {

/// Data files that are not there would fail every run.
void require_data_of(const SweepPlan& plan) {
  for (const PlannedRun& planned : plan.runs) {
    if (planned.run.status == SweepRunStatus::pending)
      require_data_files(config_from_json(planned.config, "run " + planned.run.id).data);
  }
}

int print_commands(Journal& journal, const SweepPlan& plan) {
  for (const std::size_t run : journal.open_runs()) {
    Job job = journal.job(run);
    job.threads = threads_of_one(plan);
    std::printf("%s 2>> %s\n", shell_quoted(train_command(program_path(), job)).c_str(),
                shell_quoted({job.log}).c_str());
  }
  return static_cast<int>(ExitCode::ok);
}

void train_open_runs(Journal& journal, const SweepPlan& plan, const SweepRunOptions& options) {
  const std::vector<std::size_t> open = journal.open_runs();
  const bool slurm = options.launcher == "slurm";
  const auto count = static_cast<std::int64_t>(open.size());
  std::unique_ptr<Launcher> launcher =
      slurm ? slurm_launcher(journal, options) : std::make_unique<LocalLauncher>(LocalLauncher::Options{});
  std::unique_ptr<RunOrder> order = options.halving ? halving_order(journal) : std::make_unique<GridOrder>(open);
  // An array takes all of them; SLURM says how many run.
  // Of runs on one GPU nobody knows how many fit: one at a time unless the user says more.
  const bool on_gpu = plan.base["device"] != to_string(Device::cpu) && at::hasCUDA();
  const std::int64_t wanted_jobs = options.jobs == 0 && on_gpu ? 1 : options.jobs;
  JobChoice jobs = slurm ? JobChoice({.jobs = std::max<std::int64_t>(count, 1),
                                      .processors = threads_of_one(plan) * std::max<std::int64_t>(count, 1),
                                      .runs = count})
                         : JobChoice({.jobs = wanted_jobs, .processors = processors(plan), .runs = count});
  StatusPrinter status(journal, {.stream = stderr, .terminal = isatty(STDERR_FILENO) == 1});
  SweepRunner({.journal = journal,
               .launcher = *launcher,
               .order = *order,
               .jobs = jobs,
               .observer = status,
               .memory_bytes = slurm ? 0 : available_memory_bytes()})
      .run();
}

}  // namespace

int run_sweep(const SweepPlan& plan, const SweepRunOptions& options) {
  const std::filesystem::path root =
      options.out.empty() ? std::filesystem::path("sweeps") / plan.name : std::filesystem::path(options.out);
  if (!std::filesystem::exists(root)) require_data_of(plan);  // before there is a folder of no use
  Journal journal(root, plan, {.shard = options.shard, .retry_failed = options.retry_failed});
  if (options.print_commands) return print_commands(journal, plan);
  train_open_runs(journal, plan, options);
  const SweepFile sweep = read_sweep(journal.file());
  if (options.as_json) {
    std::puts(dump_json(sweep_to_json(sweep)).c_str());
  } else {
    std::printf("%s\nsweep: %s\n", sweep_page(journal.root(), {}).c_str(), journal.file().c_str());
  }
  const auto came_to_nothing = [&](const SweepRun& run) {
    return run.status != SweepRunStatus::done && run.status != SweepRunStatus::excluded &&
           run.status != SweepRunStatus::cut;
  };
  const bool mine_failed =
      std::ranges::any_of(journal.mine(), [&](std::size_t run) { return came_to_nothing(journal.run(run)); });
  const bool any_invalid =
      std::ranges::any_of(sweep.runs, [](const SweepRun& run) { return run.status == SweepRunStatus::invalid; });
  return static_cast<int>(mine_failed || any_invalid ? ExitCode::sweep_failed : ExitCode::ok);
}

}  // namespace mha
