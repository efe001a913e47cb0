#pragma once

#include "config/config.h"
#include "cost/run_shape.h"

namespace mha {

/// Bytes that translating the validation or test split takes; 0 where nothing is translated.
struct DecodingMemory {
  double tables = 0;   // embeddings and positions (model/inference/packed_transformer.h)
  double buffers = 0;  // from the tensors' arena, so in what training has freed: packed weights, each thread's rows
};

DecodingMemory decoding_memory(const RunConfig& config, const RunShape& shape);

}  // namespace mha
