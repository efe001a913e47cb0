#include "ops/adam.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/sqrt.h>

#include <cmath>

namespace mha {

void adam_step(at::Tensor& parameters, const at::Tensor& gradients, at::Tensor& first_moment, at::Tensor& second_moment,
               std::int64_t step, const AdamOptions& options) {
  reference::adam_step(parameters, gradients, first_moment, second_moment, step, options);
}

double norm_of(const at::Tensor& flat) { return flat.to(at::kDouble).norm().item<double>(); }

namespace reference {

void adam_step(at::Tensor& parameters, const at::Tensor& gradients, at::Tensor& first_moment, at::Tensor& second_moment,
               std::int64_t step, const AdamOptions& options) {
  at::Tensor gradient = gradients * options.grad_scale;
  if (options.decoupled) {
    parameters.mul_(1 - options.lr * options.weight_decay);
  } else {
    gradient = gradient + parameters * options.weight_decay;
  }
  first_moment.mul_(options.beta1).add_(gradient, 1 - options.beta1);
  second_moment.mul_(options.beta2).addcmul_(gradient, gradient, 1 - options.beta2);
  const double correction1 = 1 - std::pow(options.beta1, static_cast<double>(step));
  const double correction2 = 1 - std::pow(options.beta2, static_cast<double>(step));
  const at::Tensor spread = at::sqrt(second_moment / correction2) + options.eps;
  parameters.addcdiv_(first_moment, spread, -options.lr / correction1);
}

}  // namespace reference
}  // namespace mha
