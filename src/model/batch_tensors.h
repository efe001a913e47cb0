#pragma once

#include <ATen/core/Tensor.h>

#include "data/batch.h"
#include "ops/packing.h"

namespace mha {

/// Packed sequences as tensors: tokens and their positions inside their sequence, int64 [total].
struct PackedIds {
  at::Tensor tokens, positions;
  SeqLayout layout;
};
PackedIds packed_ids(const PackedTokens& packed, at::Device device);

struct BatchTensors {
  PackedIds source, target;     // target: what the decoder reads
  at::Tensor target_out;        // int64 [target rows]: what it is to say
};
BatchTensors batch_tensors(const Batch& batch, at::Device device);

}  // namespace mha
