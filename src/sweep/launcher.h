#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mha {

/// One start of a run.
struct Job {
  std::string id, config, run_dir, log;  // paths absolute
  std::int64_t threads = 1;
  std::int64_t stop_after = 0;  // updates; 0: to the end
};

/// How a job's process ended.
struct EndedJob {
  std::string id;
  std::optional<int> exit_code;  // 128 + signal if a signal ended it; none: not known
  bool by_signal = false;        // ended by the signal itself
  std::string lacked_memory;     // in words, if whoever killed it did so for that
  std::string killed_because;    // in words, of another end from outside (a batch system's time limit)
  double seconds = 0;
};

/// Starts runs and tells how they ended; knows nothing of what they do.
class Launcher {
 public:
  virtual ~Launcher() = default;
  /// UserError if it cannot be started at all.
  virtual void start(const Job& job) = 0;
  /// The next job that ended, at most `seconds` later; returns early if a stop is asked for.
  virtual std::optional<EndedJob> wait(double seconds) = 0;
  /// Passes a signal on to all that run.
  virtual void stop(int signal_number) = 0;
};

/// `program --config … --resume --wait --threads N [--stop-after-updates N]`
std::vector<std::string> train_command(const std::string& program, const Job& job);
/// For a POSIX shell: words that need it in single quotes.
std::string shell_quoted(const std::vector<std::string>& words);

}  // namespace mha
