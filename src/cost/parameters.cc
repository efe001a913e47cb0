#include "cost/parameters.h"

#include "cost/attention_blocks.h"

namespace mha {
namespace {

void add_block(const AttentionBlock& block, bool bias, AttentionParameters& to) {
  const auto& [d_model, heads, d_k, d_v] = block.dims;
  to.w_q += heads * d_k * d_model;
  to.w_k += heads * d_k * d_model;
  to.w_v += heads * d_v * d_model;
  if (block.output_projection) to.w_o += d_model * heads * d_v;
  if (!bias) return;
  to.biases += 2 * heads * d_k + heads * d_v + (block.output_projection ? d_model : 0);
}

std::int64_t feed_forward(const ModelConfig& model) {
  const std::int64_t inward = model.activation == Activation::swiglu ? 2 : 1;  // matrices of [d_ff, d_model]
  const std::int64_t biases = model.bias ? inward * model.d_ff + model.d_model : 0;
  return (inward + 1) * model.d_model * model.d_ff + biases;
}

std::int64_t norms(const ModelConfig& model) {
  const std::int64_t in_layers = 2 * model.encoder_layers + 3 * model.decoder_layers;
  const std::int64_t of_sides = (model.norm == NormPlace::pre ? 2 : 0) + (model.embedding_norm ? 2 : 0);
  return (in_layers + of_sides) * model.d_model * (model.norm_kind == NormKind::rmsnorm ? 1 : 2);
}

}  // namespace

std::int64_t total(const AttentionParameters& parameters) {
  return parameters.w_q + parameters.w_k + parameters.w_v + parameters.w_o + parameters.biases;
}

std::int64_t total(const ParameterCount& parameters) {
  return parameters.embeddings + parameters.positions + parameters.output + total(parameters.encoder_self_attention) +
         total(parameters.decoder_self_attention) + total(parameters.cross_attention) +
         parameters.encoder_feed_forward + parameters.decoder_feed_forward + parameters.norms;
}

ParameterCount count_parameters(const RunConfig& config, const RunShape& shape) {
  const ModelConfig& model = config.model;
  ParameterCount count;
  count.embeddings =
      (model.share_all_embeddings ? shape.target_vocab : shape.source_vocab + shape.target_vocab) * model.d_model;
  if (model.positions == Positions::learned) count.positions = 2 * model.max_positions * model.d_model;
  if (!model.share_all_embeddings && !model.share_decoder_input_output_embed)
    count.output = shape.target_vocab * model.d_model;
  for (const AttentionBlock& block : attention_blocks(config)) {
    add_block(block, model.bias,
              block.place == AttnPlace::encoder_self   ? count.encoder_self_attention
              : block.place == AttnPlace::decoder_self ? count.decoder_self_attention
                                                       : count.cross_attention);
  }
  count.encoder_feed_forward = model.encoder_layers * feed_forward(model);
  count.decoder_feed_forward = model.decoder_layers * feed_forward(model);
  count.norms = norms(model);
  return count;
}

std::int64_t parameter_count(const RunConfig& config, const RunShape& shape) {
  return total(count_parameters(config, shape));
}

}  // namespace mha
