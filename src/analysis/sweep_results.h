#pragma once

#include <filesystem>
#include <vector>

#include "analysis/cell_result.h"
#include "report/sweep_file.h"

namespace mha {

/// What a sweep has come to so far.
struct SweepResults {
  SweepFile sweep;
  std::vector<CellResult> cells;    // in the order of the plan
  std::size_t baseline = 0;         // index of the cell that the others are compared with
  bool baseline_stands_in = false;  // the planned one has no result, and this one is the first in the plan that has
};

/// Reads sweep.json of a sweep's folder and the report of every finished run. A report that is missing or cannot be
/// read makes its run a failed one. UserError only if there is no sweep here or sweep.json cannot be read.
SweepResults collect_sweep(const std::filesystem::path& folder);

}  // namespace mha
