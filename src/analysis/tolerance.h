#pragma once

#include <map>
#include <string>
#include <string_view>

#include "analysis/gate_metrics.h"

namespace mha {

/// How much worse a metric may get: so many of its units, or percent of the base.
struct Tolerance {
  double amount = 0;
  bool percent = false;

  /// In the metric's unit, at this base.
  double allowed(double base) const;
  /// "0.5" or "2%".
  std::string text() const;
};

/// Metric name -> tolerance: exactly these gate.
using Tolerances = std::map<std::string, Tolerance>;

/// "bleu=0.5,ppl=2%,wps=-10%": METRIC=[SIGN]NUMBER[%], separated by commas. The sign may be left out; one that is given
/// must be that of the harm (a fall for bleu, growth for ppl). Throws UserError for an unknown metric (with the nearest
/// one), a repeated one, what is no number, the wrong sign, and a tolerance that nothing could exceed.
Tolerances parse_tolerances(std::string_view text);

/// How much worse the candidate is than the base, in the metric's unit; negative if it is better.
double harm_of(const GateMetric& metric, double base, double candidate);

/// Whether the candidate is within tolerance; equal to it is. What is not finite never is. Scores such as 30.3 and 29.8
/// are not exact in binary, so differences up to 1e-12 of the base count as equal.
bool is_within(const GateMetric& metric, const Tolerance& tolerance, double base, double candidate);

}  // namespace mha
