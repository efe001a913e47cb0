#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mha {

/// How many runs at a time, and on how many threads each. Where the user does not say, both ends are tried: the first
/// run alone on all processors, then one on each processor; what trained more floating-point operations a second in all
/// is kept.
class JobChoice {
 public:
  struct Options {
    std::int64_t jobs = 0;  // 0: to be measured
    std::int64_t processors = 1, runs = 0;
  };
  explicit JobChoice(const Options& options);

  std::int64_t jobs() const { return jobs_; }
  /// Threads are shared out evenly, at least one.
  std::int64_t threads() const;

  /// A whole new run trained on `threads` at `rate`. The choice in words, once this has settled it.
  std::optional<std::string> measured(std::int64_t threads, double rate);

 private:
  enum class Phase { alone, together, chosen };
  Phase phase_ = Phase::chosen;
  std::int64_t jobs_, processors_, runs_measured_ = 0;
  double rate_alone_ = 0, rates_together_ = 0;
};

}  // namespace mha
