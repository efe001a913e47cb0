#include "train/best_tracker.h"

#include <cmath>

namespace mha {

bool BestTracker::observe(double value, std::int64_t update) {
  const bool better = std::isfinite(value) && (!value_ || (higher_is_better_ ? value > *value_ : value < *value_));
  if (!better) {
    ++without_improvement_;
    return false;
  }
  value_ = value;
  update_ = update;
  without_improvement_ = 0;
  return true;
}

}  // namespace mha
