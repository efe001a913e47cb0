#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sweep/launcher.h"

namespace mha {

/// Jobs as processes of this machine, each in a process group of its own: Ctrl-C reaches the sweep only, which passes
/// it on once. When the sweep dies, however it does, the kernel sends them SIGTERM and they save.
class LocalLauncher : public Launcher {
 public:
  struct Options {
    std::string program = "/proc/self/exe";
    /// Counts what oom_kills() does (tests).
    std::function<std::int64_t()> oom_kills;
  };
  explicit LocalLauncher(Options options);
  /// Asks what still runs to stop, and waits.
  ~LocalLauncher() override;
  LocalLauncher(const LocalLauncher&) = delete;
  LocalLauncher& operator=(const LocalLauncher&) = delete;

  void start(const Job& job) override;
  std::optional<EndedJob> wait(double seconds) override;
  void stop(int signal_number) override;

 private:
  struct Process {
    std::string id;
    pid_t pid;
    Stopwatch watch;
  };
  std::optional<EndedJob> take_ended();
  Options options_;
  std::vector<Process> processes_;
  std::int64_t oom_kills_seen_ = 0;
};

}  // namespace mha
