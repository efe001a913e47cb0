#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweep/journal.h"
#include "sweep/plan.h"

namespace mha {

struct SweepRunOptions {
  std::string out;        // empty: sweeps/NAME
  std::int64_t jobs = 0;  // 0: measured
  bool retry_failed = false, halving = false, print_commands = false, as_json = false;
  Shard shard;
  std::string launcher = "local", slurm_time, slurm_partition;
  std::vector<std::string> sbatch_arguments;
};

/// UserError for options that contradict each other.
void check_options(const SweepRunOptions& options);

/// What plans ask of the cost model, for runs that `options` will start. `measure_time`: on this machine, by a training
/// of two seconds on the first configuration that is asked for; without it, times are not known.
PlanFunctions plan_functions(const SweepRunOptions& options, bool measure_time);

/// Trains what of a plan is not finished; prints the results and where sweep.json is. Returns the exit code: 4 if a run
/// came to nothing.
int run_sweep(const SweepPlan& plan, const SweepRunOptions& options);

}  // namespace mha
