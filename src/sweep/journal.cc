#include "sweep/journal.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "sweep/outcome.h"

namespace mha {
namespace {

bool is_left_out(SweepRunStatus status) {
  return status == SweepRunStatus::invalid || status == SweepRunStatus::excluded;
}

bool has_failed(SweepRunStatus status) {
  return status == SweepRunStatus::failed || status == SweepRunStatus::diverged ||
         status == SweepRunStatus::out_of_memory;
}

/// What of a run the plan does not know.
void keep_state(const SweepRun& before, SweepRun& run) {
  run.run_dir = before.run_dir;
  run.log = before.log;
  run.attempts = before.attempts;
  run.exit_code = before.exit_code;
  run.wall = before.wall;
  const bool planned = run.status == SweepRunStatus::pending && !is_left_out(before.status);
  if (!planned && before.status != SweepRunStatus::done) return;
  run.status = before.status;
  run.reason = before.reason;
}

std::optional<SweepFile> sweep_in(const std::filesystem::path& file) {
  return std::filesystem::exists(file) ? std::optional(read_sweep(file)) : std::nullopt;
}

/// What killed processes were writing; under the lock nobody else writes.
void remove_left_overs(const std::filesystem::path& file) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(file.parent_path(), ignored)) {
    if (entry.path().filename().string().starts_with(file.filename().string() + ".tmp"))
      std::filesystem::remove(entry.path(), ignored);
  }
}

}  // namespace

Shard parse_shard(const std::string& text) {
  Shard shard;
  const std::size_t slash = text.find('/');
  const auto number = [](std::string_view digits, std::int64_t& out) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  const bool read = slash != std::string::npos && number(std::string_view(text).substr(0, slash), shard.index) &&
                    number(std::string_view(text).substr(slash + 1), shard.count);
  if (!read || shard.index < 1 || shard.index > shard.count)
    throw UserError("--shard " + text + ": must be i/n with 1 <= i <= n, as 2/8");
  return shard;
}

SweepFile merge_plan(const SweepPlan& plan, const std::optional<SweepFile>& before) {
  SweepFile sweep;
  sweep.name = plan.name;
  sweep.command = plan.command;
  sweep.hold = to_string(plan.hold);
  sweep.baseline = plan.baseline;
  sweep.base = plan.base;
  sweep.axes = plan.axes;
  for (const PlannedRun& planned : plan.runs) sweep.runs.push_back(planned.run);
  if (!before) return sweep;
  if (const std::vector<std::string> changed = changed_keys(*before, plan); !changed.empty()) {
    throw UserError("the base configuration is not the one that this sweep began with:\n  " + join(changed, "\n  ") +
                    "\nset these back, or choose another folder with --out");
  }
  // Who goes on with a grid, or prints what is left of it, has not made it.
  if (std::ranges::equal(before->runs, sweep.runs, {}, &SweepRun::id, &SweepRun::id)) sweep.command = before->command;
  std::map<std::string, SweepRun*> by_id;
  for (SweepRun& run : sweep.runs) by_id[run.id] = &run;
  std::vector<SweepRun> dropped;
  for (const SweepRun& run : before->runs) {
    if (const auto found = by_id.find(run.id); found != by_id.end()) {
      keep_state(run, *found->second);
      continue;
    }
    dropped.push_back(run);
    if (run.status == SweepRunStatus::done) continue;
    dropped.back().status = SweepRunStatus::excluded;
    dropped.back().reason = kNotInGrid;
  }
  sweep.runs.insert(sweep.runs.end(), dropped.begin(), dropped.end());
  return sweep;
}

Journal::Journal(const std::filesystem::path& root, const SweepPlan& plan, const Options& options)
    : root_(std::filesystem::absolute(root).lexically_normal()) {
  make_directories(root_);
  const SweepWriteLock lock(root_ / "lock");
  sweep_ = merge_plan(plan, sweep_in(file()));
  configs_.resize(sweep_.runs.size());
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const auto shard = static_cast<std::size_t>(options.shard.count);
    if (is_left_out(run(i).status) || i % shard != static_cast<std::size_t>(options.shard.index - 1)) continue;
    configs_[i] = plan.runs[i].config;
    mine_.push_back(i);
    ids.push_back(run(i).id);
  }
  claims_ = std::make_unique<RunClaims>(root_ / "lock", ids);
  for (const char* part : {"configs", "logs", "runs"}) make_directories(root_ / part);
  remove_left_overs(file());
  for (const std::size_t i : mine_) find_out(i, options.retry_failed);
  write_sweep(sweep_, file());
}

/// No process of a sweep drives the run, but a run that one started may still train: its folder's lock keeps a second
/// one waiting.
void Journal::find_out(std::size_t index, bool retry_failed) {
  SweepRun& run = sweep_.runs[index];
  const Outcome now = judge_folder(folder(index));
  if (now.status == SweepRunStatus::done) {
    run.status = now.status;
    run.reason = "";
    run.wall = std::max(run.wall, now.report->throughput.seconds.total);
    return;
  }
  const bool failed_before = has_failed(run.status);
  if (failed_before && !retry_failed) return;
  const bool go_on = retry_failed && (failed_before || has_failed(now.status));
  run.status = go_on ? SweepRunStatus::pending : now.status;
  run.reason = go_on ? "" : now.reason;
}

std::vector<std::size_t> Journal::open_runs() const {
  std::vector<std::size_t> open;
  std::ranges::copy_if(mine_, std::back_inserter(open), [&](std::size_t i) {
    return run(i).status == SweepRunStatus::pending || run(i).status == SweepRunStatus::interrupted;
  });
  return open;
}

const json& Journal::config(std::size_t index) const { return configs_[index]; }

void Journal::update(std::size_t index, const SweepRun& run) {
  const SweepWriteLock lock(root_ / "lock");
  // What other processes have put down since goes in; a grid that one of them has extended has runs of its own there.
  SweepFile now = read_sweep(file());
  for (SweepRun& there : now.runs) {
    if (there.id == run.id) there = run;
    const auto own = std::ranges::find(sweep_.runs, there.id, &SweepRun::id);
    if (own != sweep_.runs.end()) *own = there;
  }
  sweep_.runs[index] = run;
  write_sweep(now, file());
}

Job Journal::job(std::size_t index) {
  const SweepRun& run = sweep_.runs[index];
  json config = configs_[index];
  config["run_dir"] = folder(index).root().string();
  Job job{.id = run.id,
          .config = (root_ / "configs" / (run.id + ".json")).string(),
          .run_dir = folder(index).root().string(),
          .log = (root_ / run.log).string()};
  const std::string text = dump_json(config) + "\n";
  if (!std::filesystem::exists(job.config) || read_file(job.config) != text) write_file(job.config, text);
  return job;
}

}  // namespace mha
