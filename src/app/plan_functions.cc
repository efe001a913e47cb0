#include <cmath>
#include <memory>

#include "app/environment.h"
#include "app/machine_rate.h"
#include "app/run_cost.h"
#include "app/sweep_run.h"
#include "cost/held_size.h"

namespace mha {
namespace {

RunShape shape_of_plan(const RunConfig& config) { return shape_on(config, planned_environment(config)); }

/// This machine's rate, measured once.
class MachineRate {
 public:
  explicit MachineRate(bool wanted) : wanted_(wanted) {}
  const std::optional<TrainingRate>& of(const RunConfig& config) {
    if (!wanted_) return rate_;
    wanted_ = false;
    const Environment environment = set_up_environment(config);
    if (environment.device.is_cpu()) rate_ = measure_training_rate(config, shape_on(config, environment), environment);
    return rate_;
  }

 private:
  bool wanted_;
  std::optional<TrainingRate> rate_;
};

}  // namespace

PlanFunctions plan_functions(bool measure_time) {
  const auto rate = std::make_shared<MachineRate>(measure_time);
  return {.cost = [rate](const RunConfig& config) { return run_cost(config, shape_of_plan(config), rate->of(config)); },
          .d_ff_for_parameters =
              [](const RunConfig& config, double wanted) {
                return d_ff_for_parameters(config, shape_of_plan(config), std::llround(wanted)).d_ff;
              },
          .d_ff_for_flops = [](const RunConfig& config,
                               double wanted) { return d_ff_for_flops(config, shape_of_plan(config), wanted).d_ff; }};
}

}  // namespace mha
