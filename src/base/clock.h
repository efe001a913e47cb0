#pragma once

#include <chrono>
#include <string>

namespace mha {

/// Seconds of a monotonic clock since construction.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Adds the seconds of its own lifetime to a total.
class TimedScope {
 public:
  explicit TimedScope(double& total) : total_(total) {}
  ~TimedScope() { total_ += watch_.seconds(); }
  TimedScope(const TimedScope&) = delete;
  TimedScope& operator=(const TimedScope&) = delete;

 private:
  double& total_;
  Stopwatch watch_;
};

/// UTC as "2026-01-31T12:34:56Z".
std::string utc_now();

}  // namespace mha
