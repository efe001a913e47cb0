#pragma once

#include <string>

#include "analysis/sweep_comparison.h"
#include "analysis/sweep_results.h"

namespace mha {

/// What the table comes to, in words: who is better or worse than the baseline, who cannot be told apart from it at so
/// many seeds, how many would settle it, and how much of the sweep has no result. One line.
std::string head_line(const SweepResults& results, const SweepComparison& comparison);

}  // namespace mha
