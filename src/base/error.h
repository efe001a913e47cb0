#pragma once

#include <stdexcept>
#include <string>

namespace mha {

/// What the process returns to its caller; 128 + signal stands for an interruption.
enum class ExitCode : int { ok = 0, internal = 1, user = 2, check_failed = 3, sweep_failed = 4, signal_base = 128 };

/// The user's input is at fault: the message names the file, line or key and the remedy. Exit code 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A gate or check did not pass (a regression, a diverged run). Exit code 3.
class CheckFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Work stopped because a signal asked for it. Exit code 128 + signal.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal_number)
      : std::runtime_error("interrupted by signal " + std::to_string(signal_number)), signal_number_(signal_number) {}
  int signal_number() const { return signal_number_; }

 private:
  int signal_number_;
};

}  // namespace mha
