#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/hold.h"
#include "sweep/plan.h"
#include "sweep/points.h"

namespace mha {

/// A point and what became of its configuration.
struct Cell {
  Point point;
  std::vector<std::string> other_names;  // of points that come out the same
  std::optional<LoadedConfig> loaded;    // none: invalid
  SweepRunStatus status = SweepRunStatus::pending;
  std::string reason;
  RunCost cost;
  double held = kUnknown;
  std::int64_t d_ff = 0;  // if it was adjusted
  bool called(const std::string& name) const;
};

/// Resolves points over the base configuration.
class CellMaker {
 public:
  /// The references must outlive the object. UserError if the base cannot hold what is to be held.
  CellMaker(const PlanRequest& request, const LoadedConfig& base, Hold hold, const PlanFunctions& functions);
  /// A cell that is pending or invalid. UserError if the point and what is held contradict each other.
  Cell make(const Point& point) const;
  double wanted() const { return holder_.wanted(); }

 private:
  void resolve(Cell& cell) const;

  const PlanRequest& request_;
  const LoadedConfig& base_;
  const PlanFunctions& functions_;
  Holder holder_;
};

/// The configuration of a cell with one of the seeds.
json with_seed(const json& resolved, std::int64_t seed);

}  // namespace mha
