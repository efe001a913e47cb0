#include "sweep/job_choice.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace mha {

JobChoice::JobChoice(const Options& options)
    : jobs_(options.jobs), processors_(std::max<std::int64_t>(1, options.processors)) {
  if (jobs_ > 0) return;
  // A measurement takes a run for each end and processor; with few more than those it would not pay.
  const bool measure = processors_ > 1 && options.runs > 2 * processors_;
  phase_ = measure ? Phase::alone : Phase::chosen;
  jobs_ = measure ? 1 : std::clamp<std::int64_t>(options.runs, 1, processors_);
}

std::int64_t JobChoice::threads() const { return std::max<std::int64_t>(1, processors_ / jobs_); }

std::optional<std::string> JobChoice::measured(std::int64_t threads, double rate) {
  if (phase_ == Phase::chosen || threads != this->threads() || !std::isfinite(rate)) return std::nullopt;
  if (phase_ == Phase::alone) {
    rate_alone_ = rate;
    phase_ = Phase::together;
    jobs_ = processors_;
    return std::nullopt;
  }
  rates_together_ += rate;
  if (++runs_measured_ < processors_) return std::nullopt;
  phase_ = Phase::chosen;
  const double ratio = rates_together_ / rate_alone_;
  const bool together = ratio > 1;
  if (!together) jobs_ = 1;
  return std::to_string(jobs_) + (jobs_ == 1 ? " run" : " runs") + " at a time: " + std::to_string(processors_) +
         " runs on one thread each trained " + format_fixed(ratio, 2) + " times as fast in all as one run on " +
         std::to_string(processors_) + " threads";
}

}  // namespace mha
