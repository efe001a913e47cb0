#include "model/inference/packed_transformer.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/layers.h"

namespace mha {
namespace {

/// Reads the parameters of a model by the names that model/transformer.cc gives them.
class Packer {
 public:
  Packer(const Transformer& model, WeightFormat format)
      : spec_(model.spec()), parameters_(model.parameters()), format_(format) {}

  PackedSide side(bool source) const {
    const ModelConfig& config = spec_.model;
    const std::string stack = source ? "encoder." : "decoder.";
    PackedSide side;
    side.embedding = values(config.share_all_embeddings ? "shared_embedding"
                            : source                    ? "source_embedding"
                                                        : "target_embedding");
    if (config.positions == Positions::learned) {
      side.positions = values(stack + "positions");
    } else {
      side.positions = copy(sinusoidal_positions(config.max_positions, config.d_model));
    }
    side.scale = static_cast<float>(std::sqrt(static_cast<double>(config.d_model)));
    if (config.embedding_norm) side.embedding_norm = norm(stack + "embedding_norm");
    if (config.norm == NormPlace::pre) side.last_norm = norm(stack + "norm");
    return side;
  }

  PackedWeights output() const {
    const ModelConfig& config = spec_.model;
    const char* name = config.share_all_embeddings               ? "shared_embedding"
                       : config.share_decoder_input_output_embed ? "target_embedding"
                                                                 : "output_weight";
    const WeightPart part{.weight = data(name), .bias = nullptr, .out = spec_.target_vocab};
    return PackedWeights({&part, 1}, config.d_model, format_, -std::numeric_limits<float>::infinity());
  }

  void layer(PackedLayer& layer, AttnPlace place, std::int64_t number, const std::string& prefix) const {
    layer.self = attention(place, number, prefix + "self_attn.");
    layer.self_norm = norm(prefix + "self_attn_norm");
    layer.ffn = feed_forward(prefix + "ffn.");
    layer.ffn_norm = norm(prefix + "ffn_norm");
  }

  PackedAttentionBlock attention(AttnPlace place, std::int64_t number, const std::string& prefix) const {
    const AttentionSettings settings = attention_settings(spec_.attention, place, number);
    const auto [d_model, heads, d_k, d_v] = head_dims(settings, spec_.model.d_model);
    PackedAttentionBlock block;
    block.heads = {.heads = heads, .d_k = d_k, .d_v = d_v, .scale = static_cast<float>(score_scale(settings, d_k))};
    block.queries = pack({part(prefix + "w_q", prefix + "b_q", heads * d_k)}, d_model);
    block.key_values =
        pack({part(prefix + "w_k", prefix + "b_k", heads * d_k), part(prefix + "w_v", prefix + "b_v", heads * d_v)},
             d_model);
    block.projects_output = settings.output_projection;
    if (block.projects_output) block.output = pack({part(prefix + "w_o", prefix + "b_o", d_model)}, heads * d_v);
    return block;
  }

  PackedNorm norm(const std::string& name) const {
    const bool rms = spec_.model.norm_kind == NormKind::rmsnorm;
    PackedNorm norm{.gamma = values(name + ".gamma"), .beta = {}, .eps = spec_.model.norm_eps, .rms = rms};
    if (!rms) norm.beta = values(name + ".beta");
    return norm;
  }

 private:
  PackedFeedForward feed_forward(const std::string& prefix) const {
    const ModelConfig& config = spec_.model;
    PackedFeedForward ffn;
    ffn.activation = config.activation;
    ffn.inner = config.d_ff;
    std::vector<WeightPart> first = {part(prefix + "w_1", prefix + "b_1", config.d_ff)};
    if (config.activation == Activation::swiglu) first.push_back(part(prefix + "w_3", prefix + "b_3", config.d_ff));
    ffn.first = pack(first, config.d_model);
    ffn.second = pack({part(prefix + "w_2", prefix + "b_2", config.d_model)}, config.d_ff);
    return ffn;
  }

  PackedWeights pack(const std::vector<WeightPart>& parts, std::int64_t in) const {
    return PackedWeights(parts, in, format_);
  }
  WeightPart part(const std::string& weight, const std::string& bias, std::int64_t out) const {
    return {.weight = data(weight), .bias = spec_.model.bias ? data(bias) : nullptr, .out = out};
  }
  const float* data(const std::string& name) const { return parameters_.get(name).const_data_ptr<float>(); }
  static std::vector<float> copy(const at::Tensor& values) {
    const float* from = values.const_data_ptr<float>();
    return {from, from + values.numel()};
  }
  std::vector<float> values(const std::string& name) const { return copy(parameters_.get(name)); }

  const Transformer::Spec& spec_;
  const ParameterStore& parameters_;
  WeightFormat format_;
};

}  // namespace

bool PackedTransformer::supports(const Transformer& model) {
  return model.device().is_cpu() && model.parameters().flat_values().scalar_type() == at::kFloat &&
         model.has_standard_attention();
}

PackedTransformer::PackedTransformer(const Transformer& model, WeightFormat format)
    : config_(model.spec().model), target_vocab_(model.spec().target_vocab) {
  if (!supports(model)) throw std::invalid_argument("this model has no packed form");
  const Packer packer(model, format);
  source_ = packer.side(true);
  target_ = packer.side(false);
  for (std::int64_t i = 0; i < config_.encoder_layers; ++i) {
    const std::string prefix = "encoder.layers." + std::to_string(i) + ".";
    packer.layer(encoder_.emplace_back(), AttnPlace::encoder_self, i + 1, prefix);
  }
  for (std::int64_t i = 0; i < config_.decoder_layers; ++i) {
    const std::string prefix = "decoder.layers." + std::to_string(i) + ".";
    PackedDecoderLayer& layer = decoder_.emplace_back();
    packer.layer(layer, AttnPlace::decoder_self, i + 1, prefix);
    layer.cross = packer.attention(AttnPlace::cross, i + 1, prefix + "cross_attn.");
    layer.cross_norm = packer.norm(prefix + "cross_attn_norm");
  }
  output_ = packer.output();
}

}  // namespace mha
