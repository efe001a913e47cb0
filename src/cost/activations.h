#pragma once

#include "config/config.h"
#include "cost/batch_rows.h"
#include "cost/run_shape.h"

namespace mha {

/// What the passes over one part of a batch hold at their fullest, in bytes, beside weights and gradients: the sum of
/// the tensors that the operations of ops/ keep for the backward pass.
struct PassMemory {
  double kept = 0;          // by the layers for the backward pass; with train.recompute their inputs only
  double weight_casts = 0;  // weights in the products' type, kept too
  double fullest = 0;       // on top of both: the loss with its gradients, or the work of one layer
};

PassMemory pass_memory(const RunConfig& config, const RunShape& shape, const BatchRows& rows);

}  // namespace mha
