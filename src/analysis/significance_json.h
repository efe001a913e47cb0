#pragma once

#include "analysis/sweep_comparison.h"
#include "base/json.h"

namespace mha {

/// How cells were compared and what their verdicts rest on (docs/significance.md), with a row for each cell; null if
/// none was.
json significance_json(const SweepComparison& comparison);

}  // namespace mha
