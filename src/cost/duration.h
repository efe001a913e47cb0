#pragma once

#include <cstdint>

#include "config/config.h"
#include "cost/run_shape.h"

namespace mha {

/// How fast a machine trains a model, measured (app/machine_rate.h).
struct TrainingRate {
  double flops_per_second = 0;       // of the passes, counted as executed_flops does
  double parameters_per_second = 0;  // of the updates: adding up gradients, their norm, the optimizer

  template <class V>
  static void fields(V& v) {
    v(&TrainingRate::flops_per_second, "flops_per_second");
    v(&TrainingRate::parameters_per_second, "parameters_per_second");
  }
};

/// Floating-point operations of the passes over some tokens: matrix products of forward and backward pass, and what
/// train.recompute makes again.
double executed_flops(const RunConfig& config, const RunShape& shape, double source_tokens, double target_tokens);

/// Seconds of one update of full batches.
double update_seconds(const RunConfig& config, const RunShape& shape, const TrainingRate& rate);
/// Target tokens of one update of full batches.
double update_tokens(const RunConfig& config, const RunShape& shape);

/// Updates until train.max_update or train.max_epoch ends the training (patience is not foreseen); NaN if neither is
/// set, or only max_epoch with shape.pairs unknown.
double planned_updates(const RunConfig& config, const RunShape& shape);

/// Wall time of the updates, at most train.max_seconds; NaN if nothing tells when it ends. Validation, saving, test and
/// the preparation of data come on top.
double expected_seconds(const RunConfig& config, const RunShape& shape, const TrainingRate& rate);

}  // namespace mha
