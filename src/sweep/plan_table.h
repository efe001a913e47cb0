#pragma once

#include <string>

#include "base/json.h"
#include "sweep/plan.h"

namespace mha {

/// What `--dry-run` prints: a row a cell with what it is expected to cost, what is held fixed and by how much a cell
/// misses it, the cells that will not be trained with the reasons, totals.
std::string plan_text(const SweepPlan& plan);

/// The same for machines: "format": "mha-train/sweep-plan"; "runs" as in sweep.json, each with "held" and "d_ff".
json plan_json(const SweepPlan& plan);

}  // namespace mha
