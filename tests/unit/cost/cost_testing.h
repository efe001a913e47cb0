#pragma once

#include "config/config.h"
#include "cost/run_shape.h"

namespace mha::testing {

/// Two encoder and three decoder layers of width 8, three heads with d_k 4 and d_v 5, d_ff 20.
inline RunConfig small_config() {
  RunConfig config;
  config.model.encoder_layers = 2;
  config.model.decoder_layers = 3;
  config.model.d_model = 8;
  config.model.d_ff = 20;
  config.attention.num_heads = 3;
  config.attention.d_k = ValueOrWord<std::int64_t>::of(4);
  config.attention.d_v = 5;
  return config;
}

inline RunShape small_shape() {
  RunShape shape;
  shape.source_vocab = 11;
  shape.target_vocab = 13;
  shape.source_length = 6;
  shape.target_length = 9;
  return shape;
}

}  // namespace mha::testing
