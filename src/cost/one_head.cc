#include "cost/one_head.h"

#include "base/error.h"
#include "cost/attention_blocks.h"

namespace mha {

std::optional<RunConfig> with_one_head(const RunConfig& config) {
  RunConfig one = config;
  bool changed = false;
  std::int64_t encoder_layer = 0, decoder_layer = 0;
  for (const AttentionBlock& block : attention_blocks(config)) {
    const auto& [d_model, heads, d_k, d_v] = block.dims;
    const bool encoder = block.place == AttnPlace::encoder_self;
    if (encoder) ++encoder_layer;
    if (block.place == AttnPlace::decoder_self) ++decoder_layer;
    json& patch = encoder                                  ? one.attention.encoder_self.patch
                  : block.place == AttnPlace::decoder_self ? one.attention.decoder_self.patch
                                                           : one.attention.cross.patch;
    json& layer = patch["layers"][std::to_string(encoder ? encoder_layer : decoder_layer)];
    layer["num_heads"] = 1;
    layer["d_k"] = heads * d_k;
    layer["d_v"] = heads * d_v;
    changed = changed || heads > 1;
  }
  if (!changed) return std::nullopt;
  try {
    attention_blocks(one);
  } catch (const UserError&) {
    return std::nullopt;
  }
  return one;
}

}  // namespace mha
