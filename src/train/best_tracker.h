#pragma once

#include <cstdint>
#include <optional>

#include "base/json.h"

namespace mha {

/// Which validation was best, and for how long there was no better one. A value that is not finite is never best.
class BestTracker {
 public:
  explicit BestTracker(bool higher_is_better) : higher_is_better_(higher_is_better) {}
  /// Whether `value`, measured after `update`, is a new best.
  bool observe(double value, std::int64_t update);
  std::optional<double> value() const { return value_; }
  std::int64_t update() const { return update_; }
  /// Validations in a row without a new best.
  std::int64_t without_improvement() const { return without_improvement_; }
  json to_json() const;
  void from_json(const json& in);

 private:
  bool higher_is_better_;
  std::optional<double> value_;
  std::int64_t update_ = 0, without_improvement_ = 0;
};

}  // namespace mha
