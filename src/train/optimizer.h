#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "config/train_config.h"
#include "model/parameters.h"

namespace mha {

/// Adam or AdamW over a model's flat parameters.
class Optimizer {
 public:
  Optimizer(const OptimizerConfig& config, ParameterStore& parameters);
  /// One update with the gradients times `grad_scale`. `step` counts from 1.
  void step(std::int64_t step, double lr, double grad_scale);
  at::Tensor& first_moment() { return first_moment_; }
  at::Tensor& second_moment() { return second_moment_; }
  std::int64_t bytes() const;

 private:
  OptimizerConfig config_;
  ParameterStore& parameters_;
  at::Tensor first_moment_, second_moment_;
};

}  // namespace mha
