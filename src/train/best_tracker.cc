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

json BestTracker::to_json() const {
  return {{"value", value_ ? json(*value_) : json(nullptr)}, {"update", update_}, {"without_improvement", without_improvement_}};
}

void BestTracker::from_json(const json& in) {
  value_ = in.at("value").is_null() ? std::nullopt : std::optional<double>(in.at("value").get<double>());
  update_ = in.at("update").get<std::int64_t>();
  without_improvement_ = in.at("without_improvement").get<std::int64_t>();
}

}  // namespace mha
