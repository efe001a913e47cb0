#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/gate_side.h"
#include "analysis/paired_bleu.h"
#include "analysis/tolerance.h"

namespace mha {

enum class GateVerdict { pass, fail, not_gated, not_comparable };
constexpr std::array<std::string_view, 4> enum_names(GateVerdict) {
  return {"pass", "fail", "not gated", "not comparable"};
}

struct GateRules {
  Tolerances tolerances = parse_tolerances(kDefaultTolerance);
  bool asked_for = false;         // the user named the metrics: one that cannot be compared is refused, not left out
  bool significant_only = false;  // a fall of BLEU counts only if the paired bootstrap says p < 0.05
  std::int64_t resamples = 1000;  // of the paired bootstrap; 0: none
};
inline constexpr double kGateSignificance = 0.05;
/// A p-value by resampling is at least 1 / (resamples + 1): of fewer than 20 none is below 0.05, and of somewhat more
/// it hangs on one or two of them.
inline constexpr std::int64_t kFewestDecidingResamples = 100;

struct GateRow {
  const GateMetric* metric = nullptr;
  std::optional<double> base, candidate;  // NaN: not known; none: that side has no such figure
  std::optional<Tolerance> tolerance;
  GateVerdict verdict = GateVerdict::not_gated;
  std::string why;  // of a failure, of what is not comparable, and of a pass that needs one

  /// Both are known numbers.
  bool has_change() const;
};

struct Comparison {
  GateSide base, candidate;
  std::vector<GateRow> rows;  // every metric that a side has, in the order of gate_metrics()
  PairedBleu paired;
  std::vector<std::string> notes;

  bool passed() const;
};

/// Throws UserError if a gate by these rules would not gate what it seems to: significance that is asked of no BLEU, or
/// of too few resamples to ever be told.
void check_rules(const GateRules& rules);

/// Throws UserError, before any work, if these two must not be compared by these rules: test data, references,
/// tokenisation or decode settings differ, or a metric that was asked for cannot be compared, or none is left. Lists
/// every difference with both values.
void check_comparable(const GateSide& base, const GateSide& candidate, const GateRules& rules);

/// Judges each metric. What is not known (null) on a side fails if it is gated, and so does everything of a run that
/// did not complete.
Comparison compare_sides(const GateSide& base, const GateSide& candidate, const GateRules& rules, PairedBleu paired);

}  // namespace mha
