#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "config/config.h"
#include "report/sweep_file.h"

namespace mha {

enum class Hold { nothing, budget, params, flops };
constexpr std::array<std::string_view, 4> enum_names(Hold) { return {"nothing", "h*d_k", "params", "flops"}; }

/// A run as planned: what sweep.json says of it, and its configuration (null if it cannot be resolved).
struct PlannedRun {
  SweepRun run;  // status pending, invalid or excluded; run_dir and log filled in
  json config;   // resolved, seed and run_dir filled in
};

struct SweepPlan {
  std::string name;
  Hold hold = Hold::nothing;
  json base;             // resolved, without the sweep section
  json axes;             // name -> list of values; "seed" is last
  std::string baseline;  // id of a cell
  std::vector<PlannedRun> runs;
};

/// What one configuration costs; bound in app to src/cost and the measured rate.
using CostFunction = std::function<RunCost(const RunConfig&)>;

}  // namespace mha
