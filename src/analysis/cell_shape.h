#pragma once

#include <optional>

#include "analysis/cell_result.h"

namespace mha {

/// The shape that a resolved configuration describes; none if it is null or no valid configuration.
std::optional<CellShape> shape_of(const json& config);

/// The configuration of a cell of which no run has written one: the values of its point laid over the base. `h` and
/// `d_k` are those of every attention block.
json planned_config(const SweepFile& sweep, const json& point);

}  // namespace mha
