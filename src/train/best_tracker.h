#pragma once

#include <cstdint>
#include <optional>

namespace mha {

/// Which validation was best, and for how long there was no better one. A value that is not finite is never best.
class BestTracker {
 public:
  explicit BestTracker(bool higher_is_better = false) : higher_is_better_(higher_is_better) {}
  /// Whether `value`, measured after `update`, is a new best.
  bool observe(double value, std::int64_t update);
  std::optional<double> value() const { return value_; }
  std::int64_t update() const { return update_; }
  /// Validations in a row without a new best.
  std::int64_t without_improvement() const { return without_improvement_; }

  template <class V>
  static void fields(V& v) {
    v(&BestTracker::value_, "value"), v(&BestTracker::update_, "update");
    v(&BestTracker::without_improvement_, "without_improvement");
  }

 private:
  bool higher_is_better_;
  std::optional<double> value_;
  std::int64_t update_ = 0, without_improvement_ = 0;
};

}  // namespace mha
