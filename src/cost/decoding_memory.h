#pragma once

#include "config/config.h"
#include "cost/run_shape.h"

namespace mha {

/// Bytes that translating the validation or test split takes besides the training's: packed weights
/// (model/inference/packed_transformer.h) and for each thread its caches and rows. 0 where nothing is translated.
double decoding_bytes(const RunConfig& config, const RunShape& shape);

}  // namespace mha
