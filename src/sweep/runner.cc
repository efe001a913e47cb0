#include "sweep/runner.h"

#include <cmath>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "base/stop.h"

namespace mha {
namespace {

constexpr double kTickSeconds = 0.2;

std::uintmax_t size_of(const std::filesystem::path& file) {
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(file, none);
  return none ? 0 : size;
}

/// What this attempt wrote.
std::string text_from(const std::filesystem::path& file, std::uintmax_t begin) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(begin));
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Floating-point operations that the run trained in a second; tokens where the operations are not known.
double rate_of(const SweepRun& run, const Outcome& outcome) {
  if (!outcome.report) return kUnknown;
  const double flops = run.cost.train_flops_per_token;
  return outcome.report->throughput.wps * (std::isfinite(flops) ? flops : 1);
}

}  // namespace

void SweepRunner::run() {
  try {
    drive();
  } catch (const std::exception& error) {
    give_up(error.what());
    throw;
  }
  throw_if_stopped();
  for (const RunOrder::Cut& cut : parts_.order.cut()) {
    SweepRun run = parts_.journal.run(cut.run);
    run.status = SweepRunStatus::cut;
    run.reason = cut.reason;
    parts_.journal.update(cut.run, run);
    parts_.observer.ended(cut.run, {SweepRunStatus::cut, cut.reason, std::nullopt});
  }
}

void SweepRunner::drive() {
  bool stopping = false;
  for (;;) {
    if (!stopping && stop_signal() != 0) {
      stopping = true;
      parts_.launcher.stop(stop_signal());
      parts_.observer.note("stopping: " + std::to_string(running_.size()) +
                           " runs save and end; a second signal ends them at once");
    }
    if (!stopping) start_what_fits();
    if (running_.empty()) break;
    if (const std::optional<EndedJob> ended = parts_.launcher.wait(kTickSeconds)) finish(*ended);
    parts_.observer.tick();
  }
}

/// The sweep cannot go on; what runs is asked to stop when the launcher goes.
void SweepRunner::give_up(const std::string& why) {
  for (const auto& [id, running] : running_) {
    SweepRun run = parts_.journal.run(running.run);
    run.status = SweepRunStatus::interrupted;
    run.reason = "the sweep ended: " + why;
    try {
      parts_.journal.update(running.run, run);
    } catch (const std::exception&) {
      return;  // a full disk may be why; the next start finds out from the run folders
    }
  }
}

void SweepRunner::start_what_fits() {
  while (static_cast<std::int64_t>(running_.size()) < parts_.jobs.jobs()) {
    if (!waiting_) waiting_ = parts_.order.next();
    if (!waiting_ || !fits(waiting_->run)) return;
    start(*waiting_);
    waiting_.reset();
  }
}

/// A run that would not fit beside those that train waits for them; alone, it is tried.
bool SweepRunner::fits(std::size_t run) const {
  if (parts_.memory_bytes == 0 || running_.empty()) return true;
  std::int64_t bytes = parts_.journal.run(run).cost.memory_bytes;
  for (const auto& [id, other] : running_) bytes += parts_.journal.run(other.run).cost.memory_bytes;
  return bytes <= parts_.memory_bytes;
}

void SweepRunner::start(const Step& step) {
  Job job = parts_.journal.job(step.run);
  job.threads = parts_.jobs.threads();
  job.stop_after = step.stop_after;
  SweepRun run = parts_.journal.run(step.run);
  run.status = SweepRunStatus::running;
  run.reason = "";
  ++run.attempts;
  parts_.journal.update(step.run, run);  // before the process is there: it may outlive this one
  const std::uintmax_t log_begin = size_of(job.log);
  running_[job.id] = {step.run, job.threads, log_begin};
  parts_.launcher.start(job);
  parts_.observer.started(step.run);
}

void SweepRunner::finish(const EndedJob& ended) {
  const auto found = running_.find(ended.id);
  if (found == running_.end()) return;
  const Running running = found->second;
  const bool as_many_as_chosen = static_cast<std::int64_t>(running_.size()) >= parts_.jobs.jobs();
  running_.erase(found);
  SweepRun run = parts_.journal.run(running.run);
  const Outcome outcome =
      judge(parts_.journal.folder(running.run), ended, text_from(parts_.journal.root() / run.log, running.log_begin));
  run.status = outcome.status;
  run.reason = outcome.reason;
  run.exit_code = ended.exit_code;
  run.wall += ended.seconds;
  parts_.journal.update(running.run, run);
  parts_.order.ended(running.run, outcome);
  parts_.observer.ended(running.run, outcome);
  // A resumed run's rate is that of all its processes; with fewer beside it than chosen, a run is faster than it will
  // be.
  if (run.attempts > 1 || !as_many_as_chosen) return;
  if (const auto choice = parts_.jobs.measured(running.threads, rate_of(run, outcome))) parts_.observer.note(*choice);
}

}  // namespace mha
