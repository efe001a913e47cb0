#pragma once

#include <cstdint>

#include "config/config.h"
#include "cost/run_shape.h"

namespace mha {

/// The feed-forward width that brings a model nearest to a size that is to be held fixed.
struct HeldSize {
  std::int64_t d_ff = 0;
  double wanted = 0, got = 0;  // parameters or FLOPs

  /// How far off it stays, as a share of what was wanted; 0.01: one percent too large.
  double difference() const { return wanted > 0 ? got / wanted - 1 : 0; }
};

/// The d_ff, in steps of 1 and within what model.d_ff may be, with which `config` comes nearest to `parameters`. A
/// model that is too large without any feed-forward block gets the smallest d_ff: look at difference().
HeldSize d_ff_for_parameters(const RunConfig& config, const RunShape& shape, std::int64_t parameters);

/// The same for operations of training per target token, train_flops_per_token() of another configuration and shape.
HeldSize d_ff_for_flops(const RunConfig& config, const RunShape& shape, double flops_per_token);

}  // namespace mha
