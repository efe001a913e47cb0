#pragma once

#include <filesystem>
#include <optional>

#include "analysis/cell_result.h"

namespace mha {

/// The shape that a resolved configuration describes; none if it is null or no valid configuration.
std::optional<CellShape> shape_of(const json& config);

/// The configuration of a run of which there is no report: the one that the sweep wrote for it, else the values of its
/// point laid over the base, with the d_k that comes of holding h*d_k; null where d_ff was adjusted and nobody knows
/// how.
json planned_config(const std::filesystem::path& folder, const SweepFile& sweep, const SweepRun& run);

}  // namespace mha
