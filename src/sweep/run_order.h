#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sweep/outcome.h"

namespace mha {

/// What a run is started for: to its end, or up to an update.
struct Step {
  std::size_t run = 0;
  std::int64_t stop_after = 0;  // 0: to the end
  bool operator==(const Step&) const = default;
};

/// The order in which runs are started.
class RunOrder {
 public:
  virtual ~RunOrder() = default;
  /// What to start next; none if that depends on what still runs, or if there is nothing left.
  virtual std::optional<Step> next() = 0;
  virtual void ended(std::size_t /*run*/, const Outcome& /*outcome*/) {}
  /// Once nothing runs and next() has nothing: the runs that were given up on purpose, and why.
  struct Cut {
    std::size_t run;
    std::string reason;
  };
  virtual std::vector<Cut> cut() const { return {}; }
};

/// Every run to its end, in the order given.
class GridOrder : public RunOrder {
 public:
  explicit GridOrder(std::vector<std::size_t> runs) : runs_(std::move(runs)) {}
  std::optional<Step> next() override {
    return at_ < runs_.size() ? std::optional(Step{.run = runs_[at_++]}) : std::nullopt;
  }

 private:
  std::vector<std::size_t> runs_;
  std::size_t at_ = 0;
};

}  // namespace mha
