#include "cost/attention_blocks.h"

namespace mha {
namespace {

/// The kind with a form for packed rows (AttentionCore::has_packed_form); any other is billed as padded.
constexpr const char* kPackedKind = "scaled_dot";

AttentionBlock block(const RunConfig& config, AttnPlace place, std::int64_t layer) {
  const AttentionSettings settings = attention_settings(config.attention, place, layer);
  return {.place = place,
          .dims = head_dims(settings, config.model.d_model),
          .output_projection = settings.output_projection,
          .weights_dropped = settings.attention_dropout > 0,
          .packed = settings.kind == kPackedKind && settings.path != AttnPath::generic};
}

}  // namespace

std::vector<AttentionBlock> attention_blocks(const RunConfig& config) {
  std::vector<AttentionBlock> blocks;
  for (std::int64_t layer = 1; layer <= config.model.encoder_layers; ++layer)
    blocks.push_back(block(config, AttnPlace::encoder_self, layer));
  for (std::int64_t layer = 1; layer <= config.model.decoder_layers; ++layer) {
    blocks.push_back(block(config, AttnPlace::decoder_self, layer));
    blocks.push_back(block(config, AttnPlace::cross, layer));
  }
  return blocks;
}

}  // namespace mha
