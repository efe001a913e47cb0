#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/sweep_results.h"
#include "metrics/significance.h"

namespace mha {

/// The cells of a sweep against its baseline cell, and why some are not.
struct SweepComparison {
  std::optional<GridSignificance> grid;  // its cells are those of the sweep; none if there is nothing to compare
  std::string unsteady;                  // a cell whose seeds differ so much that none was pooled with others
  std::vector<std::string> problems;     // what could not be compared, in words
};

/// Compares by the translations that the runs left (metrics/significance.h) and fills in `against_baseline` of every
/// cell. Runs whose translations or references cannot be read, or that were scored in another way than the baseline's,
/// take no part; that is told in `problems`. A cell takes part with the seeds that can be.
SweepComparison compare_with_baseline(SweepResults& results);

}  // namespace mha
