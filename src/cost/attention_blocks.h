#pragma once

#include <vector>

#include "config/config.h"

namespace mha {

/// One attention place of one layer, as a bill needs it.
struct AttentionBlock {
  AttnPlace place = AttnPlace::encoder_self;
  HeadDims dims;
  bool output_projection = true;
  bool weights_dropped = false;  // attention dropout
  bool packed = true;            // takes the path for packed rows: scores exist for a few queries at a time

  double key_width() const { return static_cast<double>(dims.heads * dims.d_k); }
  double value_width() const { return static_cast<double>(dims.heads * dims.d_v); }
};

/// All of a model: the encoder's layers, then each decoder layer's two. UserError as from head_dims.
std::vector<AttentionBlock> attention_blocks(const RunConfig& config);

}  // namespace mha
