#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sweep/job_choice.h"
#include "sweep/journal.h"
#include "sweep/launcher.h"
#include "sweep/outcome.h"
#include "sweep/run_order.h"

namespace mha {

/// Watches a sweep; changes nothing.
class SweepObserver {
 public:
  virtual ~SweepObserver() = default;
  virtual void started(std::size_t /*run*/) {}
  virtual void ended(std::size_t /*run*/, const Outcome&) {}
  virtual void note(const std::string& /*message*/) {}
  /// Several times a second while runs train.
  virtual void tick() {}
};

/// The policy of a sweep: starts what the schedule names, as many at a time as chosen and as memory allows, puts down
/// what becomes of each, and goes on whatever that is.
class SweepRunner {
 public:
  struct Parts {
    Journal& journal;
    Launcher& launcher;
    RunOrder& order;
    JobChoice& jobs;
    SweepObserver& observer;
    std::int64_t memory_bytes = 0;  // runs at one time are expected to need at most so much; 0: not looked at
  };
  explicit SweepRunner(const Parts& parts) : parts_(parts) {}

  /// Returns when nothing is left. If a stop is asked for, starts nothing more, passes the signal on, waits until the
  /// runs have saved and ended, and throws Interrupted.
  void run();

 private:
  struct Running {
    std::size_t run;
    std::int64_t threads;
    std::uintmax_t log_begin;
  };
  void drive();
  void give_up(const std::string& why);
  void start_what_fits();
  void start(const Step& step);
  void finish(const EndedJob& ended);
  bool fits(std::size_t run) const;
  Parts parts_;
  std::map<std::string, Running> running_;  // by the run's id
  std::optional<Step> waiting_;             // named by the schedule, kept back for want of memory
};

}  // namespace mha
