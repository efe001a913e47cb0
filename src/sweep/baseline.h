#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweep/cells.h"

namespace mha {

/// The name of the cell that the others are compared with: the one that the request, else the sweep section, names by
/// its name or by values that no other cell has; without such a wish the one that makes the same model as the base
/// configuration, else the first. Empty if no cell can be trained. UserError if the wish names none, several, or one
/// that cannot be trained.
std::string baseline_of(const std::vector<Cell>& cells, const LoadedConfig& base, std::int64_t seed,
                        const PlanRequest& request);

}  // namespace mha
