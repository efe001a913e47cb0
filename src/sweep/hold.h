#pragma once

#include <cstdint>
#include <optional>

#include "config/config.h"
#include "sweep/plan.h"
#include "sweep/points.h"

namespace mha {

/// Keeps one quantity of every cell at what it is in the base configuration.
class Holder {
 public:
  /// `base`: checked, unless h*d_k is held or nothing. UserError if it cannot be held in it. `functions` must outlive
  /// the object.
  Holder(Hold hold, const RunConfig& base, const PlanFunctions& functions);

  /// h * d_k, parameters or FLOPs per target token of the base; NaN for `nothing`.
  double wanted() const { return wanted_; }
  /// The same of a checked cell.
  double of(const RunConfig& cell, const RunCost& cost) const;

  /// Whether cells are to be checked before they are adjusted.
  bool needs_checked_cell() const { return hold_ == Hold::params || hold_ == Hold::flops; }
  /// What is to be laid over a cell. UserError if the quantity cannot be kept: the cell is invalid.
  std::optional<Assignment> adjustment(const RunConfig& cell) const;
  /// UserError if the adjusted cell is far off nevertheless.
  void check_reached(double held) const;

  /// UserError if a point sets what would have to be adjusted, to another value; `cell`: its configuration.
  void check_agrees(const Point& point, const RunConfig& cell) const;

 private:
  /// UserError if `heads` do not divide the budget.
  std::int64_t d_k_of(std::int64_t heads) const;

  Hold hold_;
  const PlanFunctions& functions_;
  std::int64_t budget_ = 0;  // h * d_k
  bool rounded_up_ = false;  // d_k is "ceil" in the base
  double wanted_ = kUnknown;
};

}  // namespace mha
