#pragma once

#include <vector>

#include "analysis/cell_result.h"

namespace mha {

/// A system as a front sees it: more `good` is better, less `cost` is better. NaN in either: on no front.
struct FrontPoint {
  double good = kUnknown, cost = kUnknown;
};

/// Whether each point is on the Pareto front: no other is at least as good at no more cost and better in one of them.
std::vector<bool> pareto_front(const std::vector<FrontPoint>& points);

/// Fills in `fronts`: mean BLEU against tokens/s, parameters and memory. Cells whose speed and memory cannot be
/// compared with the baseline's are on the front of parameters only.
void mark_fronts(std::vector<CellResult>& cells);

}  // namespace mha
