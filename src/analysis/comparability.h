#pragma once

#include <string>
#include <vector>

#include "analysis/gate_metrics.h"
#include "analysis/gate_side.h"

namespace mha {

/// "decode.beam: 5 in the base, 1 in the new": each condition that differs, none if the scores are of the same thing.
/// A side without a test (a run that did not get there) differs in nothing: its figures fail by themselves.
std::vector<std::string> differing_test_conditions(const GateSide& base, const GateSide& candidate);

/// Why this metric cannot be compared although the test is the same, with both values: another subword vocabulary for a
/// loss per subword, another machine, number of threads, precision or attention path for speed and memory. Else empty.
std::string why_not_comparable(const GateMetric& metric, const Scorecard& base, const Scorecard& candidate);

}  // namespace mha
