#include <algorithm>
#include <cmath>
#include <memory>

#include "app/environment.h"
#include "app/machine_rate.h"
#include "app/run_cost.h"
#include "app/sweep_run.h"
#include "base/error.h"
#include "base/log.h"
#include "cost/held_size.h"

namespace mha {
namespace {

/// Threads that one run will train on: the processors shared out among `jobs` runs, one each where that is left open;
/// not on this machine: as configured, or one.
std::int64_t threads_of_one(const RunConfig& config, const SweepRunOptions& options) {
  if (options.launcher != "local" || options.print_commands) return std::max<std::int64_t>(config.threads, 1);
  const std::int64_t processors = config.threads > 0 ? config.threads : usable_processors();
  return options.jobs > 0 ? std::max<std::int64_t>(processors / options.jobs, 1) : 1;
}

RunShape shape_of_plan(const RunConfig& config, const SweepRunOptions& options) {
  Environment environment = planned_environment(config);
  environment.threads = static_cast<int>(threads_of_one(config, options));
  return shape_on(config, environment);
}

/// This machine's rate, measured once.
class MachineRate {
 public:
  explicit MachineRate(bool wanted) : wanted_(wanted) {}
  /// Measures on the first configuration whose model may be built here: a plan must not fail for what it plans.
  const std::optional<TrainingRate>& of(const RunConfig& config, const RunShape& shape) {
    if (!wanted_ || !fits_to_be_measured(config, shape)) return rate_;
    wanted_ = false;
    try {
      const Environment environment = set_up_environment(config);
      if (environment.device.is_cpu())
        rate_ = measure_training_rate(config, shape_on(config, environment), environment);
    } catch (const UserError& error) {
      log_warning(std::string("expected times are not known: ") + error.what());
    }
    return rate_;
  }

 private:
  bool wanted_;
  std::optional<TrainingRate> rate_;
};

}  // namespace

PlanFunctions plan_functions(const SweepRunOptions& options, bool measure_time) {
  const auto rate = std::make_shared<MachineRate>(measure_time);
  const auto shape = [options](const RunConfig& config) { return shape_of_plan(config, options); };
  return {.cost =
              [rate, shape](const RunConfig& config) {
                const RunShape of_run = shape(config);
                return run_cost(config, of_run, rate->of(config, of_run));
              },
          .d_ff_for_parameters =
              [shape](const RunConfig& config, double wanted) {
                return d_ff_for_parameters(config, shape(config), std::llround(wanted)).d_ff;
              },
          .d_ff_for_flops = [shape](const RunConfig& config,
                                    double wanted) { return d_ff_for_flops(config, shape(config), wanted).d_ff; }};
}

}  // namespace mha
