#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "config/config.h"
#include "report/sweep_file.h"

namespace mha {

/// A run as planned: what sweep.json says of it, and its configuration (null if it cannot be resolved).
struct PlannedRun {
  SweepRun run;            // status pending, invalid or excluded; run_dir and log filled in
  json config;             // resolved, seed and run_dir filled in
  double held = kUnknown;  // what the plan holds fixed, as it is in this run; see SweepPlan::held
  std::int64_t d_ff = 0;   // of the model, where `hold` adjusted it; else 0
};

struct SweepPlan {
  std::string name;
  std::string command = {};  // that asked for it; empty if that is not known
  Hold hold = Hold::nothing;
  double held = kUnknown;  // h * d_k, parameters or FLOPs per target token of the base; NaN if nothing is held
  json base;               // resolved, without the sweep section
  json axes;               // name -> list of values; "seed" is last
  std::string baseline;    // SweepRun::cell of a cell; empty if no cell can be trained
  std::vector<PlannedRun> runs;
  std::vector<std::string> notes;  // what is odd about it but no error, in whole sentences
};

/// What one configuration costs; bound in app to src/cost and the measured rate.
using CostFunction = std::function<RunCost(const RunConfig&)>;
/// The d_ff that brings a configuration nearest to so many parameters, or FLOPs per target token; bound in app to
/// src/cost.
using WidthFunction = std::function<std::int64_t(const RunConfig&, double wanted)>;
struct PlanFunctions {
  CostFunction cost;
  WidthFunction d_ff_for_parameters, d_ff_for_flops;
};

/// What the command line asks for; what it leaves out is as the file's sweep section says.
struct PlanRequest {
  std::filesystem::path file;           // the base configuration
  std::vector<Assignment> assignments;  // --set and the like
  std::vector<std::string> axes;        // "h=1,2,4"
  std::optional<Hold> hold;
  std::string baseline;
  std::int64_t max_memory = 0;     // bytes; 0: no limit
  std::vector<std::string> kinds;  // of attention that there are
};

/// The plan of a grid: the cross product of the axes and the listed points, each with every seed. Pure: reads nothing
/// but the configuration file, and the same request gives the same plan. A cell whose configuration is refused is
/// `invalid` with the reason, one that matches the exclusions or does not fit max_memory is `excluded`; both stay in
/// the plan. Cells that come out as the same configuration are one, the first. UserError for whatever concerns the grid
/// as a whole: axes, points, seeds, zips, the baseline, what is held.
SweepPlan make_plan(const PlanRequest& request, const PlanFunctions& functions);

/// "runs/h-8_d_k-64-seed3-5f0a1c" without the "runs/": letters, digits and "-_." only, bounded, one for each run.
std::string run_slug(const SweepRun& run);

/// What would make a plan's runs no continuation of those of a sweep: keys of the base configuration and the quantity
/// held, one text each: "optimizer.lr: 0.005 there, 0.004 now". Seeds and the values of axes are not among them: new
/// ones are new runs. Empty: the sweep can be resumed.
std::vector<std::string> changed_keys(const SweepFile& there, const SweepPlan& now);

}  // namespace mha
