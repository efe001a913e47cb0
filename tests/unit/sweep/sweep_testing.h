#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "report/run_report.h"
#include "support/temporary_folder.h"
#include "sweep/journal.h"
#include "sweep/runner.h"

namespace mha::testing {

/// A run that needs no configuration to make sense; ids are 12 hexadecimal digits of its number.
inline PlannedRun planned_run(std::size_t number, const std::string& cell, std::int64_t seed = 1) {
  PlannedRun planned;
  planned.run.id = "0123456789a" + std::to_string(number % 10);
  planned.run.cell = cell;
  planned.run.seed = seed;
  planned.run.run_dir = "runs/" + planned.run.id;
  planned.run.log = "logs/" + planned.run.id + ".log";
  planned.config = {{"seed", seed}, {"train", {{"max_update", 90}}}};
  return planned;
}

inline SweepPlan plan_of(std::vector<PlannedRun> runs) {
  SweepPlan plan;
  plan.name = "grid";
  plan.base = {{"seed", 1}, {"optimizer", {{"lr", 0.1}}}};
  plan.axes = {{"h", {1, 2}}, {"seed", {1}}};
  plan.runs = std::move(runs);
  return plan;
}

/// Cells h=1, h=2, …
inline SweepPlan plan_of_cells(std::size_t count) {
  std::vector<PlannedRun> runs;
  for (std::size_t i = 0; i < count; ++i) runs.push_back(planned_run(i, "h=" + std::to_string(i + 1)));
  return plan_of(std::move(runs));
}

/// What a trainer leaves in a run folder.
inline void leave_report(const RunFolder& folder, RunStatus status, const std::string& reason, int exit_code) {
  make_directories(folder.root());
  RunReport report;
  report.status = status;
  report.reason = reason;
  report.exit_code = exit_code;
  report.throughput.wps = 1000;
  report.throughput.seconds.total = 5;
  write_file(folder.config(), "{}");
  write_report(report, folder.report());
}

/// Runs that end when they are waited for, in the order in which they were started, as told beforehand.
class FakeLauncher : public Launcher {
 public:
  struct End {
    RunStatus status = RunStatus::completed;
    std::string reason;
    int exit_code = 0;
    bool by_signal = false;  // then without a report
  };
  void start(const Job& job) override {
    started.push_back(job);
    running.push_back(job);
    most_at_once = std::max(most_at_once, running.size());
  }
  std::optional<EndedJob> wait(double) override {
    if (before_wait) before_wait();
    if (running.empty()) return std::nullopt;
    const Job job = running.front();
    running.erase(running.begin());
    End end = ends.contains(job.id) ? ends[job.id] : End{};
    if (signal != 0) end = {RunStatus::interrupted, "interrupted by signal 15", 128 + signal, false};
    if (job.stop_after > 0 && end.status == RunStatus::completed) end = {RunStatus::interrupted, "paused", 0, false};
    if (!end.by_signal) leave_report(RunFolder(job.run_dir), end.status, end.reason, end.exit_code);
    EndedJob ended;
    ended.id = job.id;
    ended.exit_code = end.exit_code;
    ended.by_signal = end.by_signal;
    ended.seconds = 2;
    return ended;
  }
  void stop(int signal_number) override { signal = signal_number; }

  std::map<std::string, End> ends;  // by id; completed without one
  std::function<void()> before_wait;
  std::vector<Job> started, running;
  std::size_t most_at_once = 0;
  int signal = 0;
};

}  // namespace mha::testing
