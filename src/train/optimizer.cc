#include "train/optimizer.h"

#include <ATen/Functions.h>

#include "ops/adam.h"

namespace mha {

Optimizer::Optimizer(const OptimizerConfig& config, ParameterStore& parameters)
    : config_(config),
      parameters_(parameters),
      first_moment_(at::zeros_like(parameters.flat_values())),
      second_moment_(at::zeros_like(parameters.flat_values())) {}

void Optimizer::step(std::int64_t step, double lr, double grad_scale) {
  adam_step(parameters_.flat_values(), parameters_.flat_gradients(), first_moment_, second_moment_, step,
            {.lr = lr,
             .beta1 = config_.betas[0],
             .beta2 = config_.betas[1],
             .eps = config_.eps,
             .weight_decay = config_.weight_decay,
             .decoupled = config_.name == OptimizerName::adamw,
             .grad_scale = grad_scale});
}

std::int64_t Optimizer::bytes() const {
  return static_cast<std::int64_t>(first_moment_.nbytes() + second_moment_.nbytes());
}

}  // namespace mha
