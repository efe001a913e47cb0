#include "model/transformer.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/attention/kinds.h"
#include "ops/dropout.h"
#include "ops/embedding.h"
#include "ops/linear.h"
#include "ops/recompute.h"

namespace mha {
namespace {

class Builder {
 public:
  Builder(const Transformer::Spec& spec, SiteCounter& sites) : spec_(spec), sites_(sites) {}

  std::unique_ptr<MultiHeadAttention> attention(AttnPlace place, std::int64_t layer, const ParameterScope& scope) {
    const AttentionSettings settings = attention_settings(spec_.attention, place, layer);
    return make_attention({.dims = head_dims(settings, spec_.model.d_model),
                           .settings = settings,
                           .bias = spec_.model.bias,
                           .dropout_site = sites_.next()},
                          scope);
  }

  std::unique_ptr<Norm> norm(const ParameterScope& scope) { return std::make_unique<Norm>(spec_.model, scope); }

  void self_and_ffn(EncoderLayer& layer, AttnPlace place, std::int64_t number, const ParameterScope& scope) {
    layer.self_attn = attention(place, number, scope.sub("self_attn"));
    layer.self_attn_norm = norm(scope.sub("self_attn_norm"));
    layer.ffn = std::make_unique<FeedForward>(spec_.model, scope.sub("ffn"), sites_);
    layer.ffn_norm = norm(scope.sub("ffn_norm"));
    layer.attn_site = sites_.next();
    layer.ffn_site = sites_.next();
  }

 private:
  const Transformer::Spec& spec_;
  SiteCounter& sites_;
};

/// Tokens of the longest sequence by its positions: those of filler rows are all 0, however many there are.
std::int64_t longest(const PackedIds& ids) {
  return ids.positions.numel() == 0 ? 0 : ids.positions.max().item<std::int64_t>() + 1;
}

}  // namespace

Transformer::Transformer(const Spec& spec, at::Device device) : spec_(spec), device_(device), parameters_(spec.seed) {
  const ModelConfig& model = spec_.model;
  SiteCounter sites;
  Builder build(spec_, sites);
  const ParameterScope root(parameters_);
  const Init embedding_init = Init::normal(1 / std::sqrt(static_cast<double>(model.d_model)));

  source_embedding_ = root.add(model.share_all_embeddings ? "shared_embedding" : "source_embedding",
                               {spec.source_vocab, model.d_model}, embedding_init);
  target_embedding_ = model.share_all_embeddings
                          ? source_embedding_
                          : root.add("target_embedding", {spec.target_vocab, model.d_model}, embedding_init);
  const bool tied_output = model.share_all_embeddings || model.share_decoder_input_output_embed;
  output_weight_ =
      tied_output ? target_embedding_ : root.add("output_weight", {spec.target_vocab, model.d_model}, embedding_init);
  if (model.positions == Positions::learned) {
    source_positions_ = root.add("encoder.positions", {model.max_positions, model.d_model}, embedding_init);
    target_positions_ = root.add("decoder.positions", {model.max_positions, model.d_model}, embedding_init);
  } else {
    source_positions_ = target_positions_ = sinusoidal_positions(model.max_positions, model.d_model).to(device);
  }
  source_site_ = sites.next();
  target_site_ = sites.next();
  if (model.embedding_norm) {
    source_embedding_norm_ = build.norm(root.sub("encoder").sub("embedding_norm"));
    target_embedding_norm_ = build.norm(root.sub("decoder").sub("embedding_norm"));
  }

  for (std::int64_t i = 0; i < model.encoder_layers; ++i) {
    const ParameterScope scope = root.sub("encoder").sub("layers").sub(std::to_string(i));
    build.self_and_ffn(encoder_.emplace_back(), AttnPlace::encoder_self, i + 1, scope);
  }
  for (std::int64_t i = 0; i < model.decoder_layers; ++i) {
    const ParameterScope scope = root.sub("decoder").sub("layers").sub(std::to_string(i));
    DecoderLayer& layer = decoder_.emplace_back();
    build.self_and_ffn(layer, AttnPlace::decoder_self, i + 1, scope);
    layer.cross_attn = build.attention(AttnPlace::cross, i + 1, scope.sub("cross_attn"));
    layer.cross_attn_norm = build.norm(scope.sub("cross_attn_norm"));
    layer.cross_site = sites.next();
  }
  if (pre_norm()) {
    encoder_norm_ = build.norm(root.sub("encoder").sub("norm"));
    decoder_norm_ = build.norm(root.sub("decoder").sub("norm"));
  }
  parameters_.flatten(device);
}

const Norm* Transformer::encoder_first_norm() const {
  return pre_norm() ? encoder_.front().self_attn_norm.get() : nullptr;
}
const Norm* Transformer::decoder_first_norm() const {
  return pre_norm() ? decoder_.front().self_attn_norm.get() : nullptr;
}

// The norm that stands between the end of a layer and what reads it: pre-norm, the next layer's first or the stack's
// last; post-norm, the layer's own.
const Norm& Transformer::after_encoder_ffn(std::size_t layer) const {
  if (!pre_norm()) return *encoder_[layer].ffn_norm;
  return layer + 1 < encoder_.size() ? *encoder_[layer + 1].self_attn_norm : *encoder_norm_;
}
const Norm& Transformer::after_decoder_ffn(std::size_t layer) const {
  if (!pre_norm()) return *decoder_[layer].ffn_norm;
  return layer + 1 < decoder_.size() ? *decoder_[layer + 1].self_attn_norm : *decoder_norm_;
}

void Transformer::check_length(std::int64_t length) const {
  if (length <= spec_.model.max_positions) return;
  throw std::length_error("a sequence of " + std::to_string(length) + " tokens is longer than model.max_positions, " +
                          std::to_string(spec_.model.max_positions));
}

at::Tensor Transformer::embed_side(const PackedIds& ids, bool source, const ForwardContext& context) const {
  const at::Tensor& weight = source ? source_embedding_ : target_embedding_;
  const at::Tensor positions = (source ? source_positions_ : target_positions_).to(weight.scalar_type());
  const auto& norm = source ? source_embedding_norm_ : target_embedding_norm_;
  const DropoutSpec drop = context.dropout(spec_.model.dropout, source ? source_site_ : target_site_);
  const at::Tensor x = embed(ids.tokens, ids.positions, weight, positions,
                             {.scale = std::sqrt(static_cast<double>(spec_.model.d_model)),
                              .dropout = norm ? DropoutSpec{} : drop,
                              .dtype = context.dtype});
  // Dropout comes after the norm, which would take its 1 / (1 - p) away again.
  return norm ? dropout(normalize(x, norm->weights()), drop) : x;
}

void Transformer::encoder_layer(std::size_t number, ResidualStream& stream, const SeqLayout& layout,
                                const ForwardContext& context) const {
  const EncoderLayer& layer = encoder_[number];
  const auto drop = [&](std::uint64_t site) { return context.dropout(spec_.model.dropout, site); };
  const at::Tensor x = stream.input();
  const AttnOut attended = layer.self_attn->forward({x, layout, x, layout, false}, context);
  stream.add(attended.y, pre_norm() ? *layer.ffn_norm : *layer.self_attn_norm, drop(layer.attn_site));
  stream.add(layer.ffn->forward(stream.input(), context), after_encoder_ffn(number), drop(layer.ffn_site));
}

void Transformer::decoder_layer(std::size_t number, ResidualStream& stream, const Memory& memory,
                                const SeqLayout& layout, const ForwardContext& context) const {
  const DecoderLayer& layer = decoder_[number];
  const auto drop = [&](std::uint64_t site) { return context.dropout(spec_.model.dropout, site); };
  const at::Tensor x = stream.input();
  const AttnOut self = layer.self_attn->forward({x, layout, x, layout, true}, context);
  stream.add(self.y, pre_norm() ? *layer.cross_attn_norm : *layer.self_attn_norm, drop(layer.attn_site));
  const AttnOut cross = layer.cross_attn->forward({stream.input(), layout, memory.rows, memory.layout, false}, context);
  stream.add(cross.y, pre_norm() ? *layer.ffn_norm : *layer.cross_attn_norm, drop(layer.cross_site));
  stream.add(layer.ffn->forward(stream.input(), context), after_decoder_ffn(number), drop(layer.ffn_site));
}

at::Tensor Transformer::encode(const PackedIds& source, const ForwardContext& batch_context) const {
  check_length(longest(source));
  const ForwardContext context = batch_context.from_row(source.first_row);
  ResidualStream stream(embed_side(source, true, context), encoder_first_norm());
  for (std::size_t i = 0; i < encoder_.size(); ++i) {
    if (!context.recompute) {
      encoder_layer(i, stream, source.layout, context);
      continue;
    }
    // The function lives until the whole backward pass is done, so it must not hold tensors of its own.
    const TensorFunction layer = [this, i, layout = source.layout, context](const std::vector<at::Tensor>& in) {
      ResidualStream own(spec_.model.norm, in);
      encoder_layer(i, own, layout, context);
      return own.tensors();
    };
    stream = ResidualStream(spec_.model.norm, recomputed(layer, stream.tensors()));
  }
  return stream.input();
}

at::Tensor Transformer::decode(const at::Tensor& memory, const SeqLayout& source_layout, const PackedIds& target,
                               const ForwardContext& batch_context) const {
  check_length(longest(target));
  const ForwardContext context = batch_context.from_row(target.first_row);
  ResidualStream stream(embed_side(target, false, context), decoder_first_norm());
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    if (!context.recompute) {
      decoder_layer(i, stream, {memory, source_layout}, target.layout, context);
      continue;
    }
    std::vector<at::Tensor> inputs = stream.tensors();
    inputs.push_back(memory);
    const TensorFunction layer = [this, i, source_layout, layout = target.layout,
                                  context](const std::vector<at::Tensor>& in) {
      ResidualStream own(spec_.model.norm, in);
      decoder_layer(i, own, {in.back(), source_layout}, layout, context);
      return own.tensors();
    };
    stream = ResidualStream(spec_.model.norm, recomputed(layer, inputs));
  }
  return stream.input();
}

TokenLoss Transformer::loss(const BatchTensors& batch, double label_smoothing, const ForwardContext& context) const {
  const at::Tensor memory = encode(batch.source, context);
  const at::Tensor hidden = decode(memory, batch.source.layout, batch.target, context);
  return projected_cross_entropy(hidden, output_weight_, batch.target_out,
                                 {.smoothing = label_smoothing, .pad = spec_.pad});
}

at::Tensor Transformer::log_probs(const at::Tensor& hidden) const {
  return at::log_softmax(linear(hidden, output_weight_, at::Tensor()).to(at::kFloat), -1);
}

at::Tensor Transformer::token_log_probs(const BatchTensors& batch, const ForwardContext& context) const {
  const at::Tensor hidden = decode(encode(batch.source, context), batch.source.layout, batch.target, context);
  std::vector<at::Tensor> parts;  // a few rows at a time: the full matrix of log-probabilities can be large
  constexpr std::int64_t rows = 512;
  for (std::int64_t start = 0; start < hidden.size(0); start += rows) {
    const std::int64_t count = std::min(rows, hidden.size(0) - start);
    parts.push_back(log_probs(hidden.narrow(0, start, count))
                        .gather(1, batch.target_out.narrow(0, start, count).unsqueeze(1))
                        .squeeze(1));
  }
  return parts.empty() ? at::empty({0}, at::kFloat) : at::cat(parts);
}

const MultiHeadAttention& Transformer::attention(AttnPlace place, std::int64_t layer) const {
  const auto at = static_cast<std::size_t>(layer - 1);
  if (place == AttnPlace::encoder_self) return *encoder_.at(at).self_attn;
  return place == AttnPlace::cross ? *decoder_.at(at).cross_attn : *decoder_.at(at).self_attn;
}

bool Transformer::all_packed() const {
  const auto packed = [](const std::unique_ptr<MultiHeadAttention>& place) { return place->takes_packed_path(); };
  return std::ranges::all_of(encoder_, packed, &EncoderLayer::self_attn) &&
         std::ranges::all_of(decoder_, packed, &DecoderLayer::self_attn) &&
         std::ranges::all_of(decoder_, packed, &DecoderLayer::cross_attn);
}

bool Transformer::has_standard_attention() const {
  const auto standard = [](const std::unique_ptr<MultiHeadAttention>& place) { return place->is_standard(); };
  return std::ranges::all_of(encoder_, standard, &EncoderLayer::self_attn) &&
         std::ranges::all_of(decoder_, standard, &DecoderLayer::self_attn) &&
         std::ranges::all_of(decoder_, standard, &DecoderLayer::cross_attn);
}

std::map<std::string, std::int64_t> Transformer::parameters_by_part() const {
  std::map<std::string, std::int64_t> parts;
  for (const auto& [name, value] : parameters_.all()) {
    const auto has = [&, n = std::string_view(name)](std::string_view text) {
      return n.find(text) != std::string_view::npos;
    };
    const bool encoder = name.starts_with("encoder.");
    const char* part = has("norm.")         ? "norms"
                       : has("cross_attn.") ? "cross_attention"
                       : has("self_attn.")  ? (encoder ? "encoder_self_attention" : "decoder_self_attention")
                       : has(".ffn.")       ? (encoder ? "encoder_feed_forward" : "decoder_feed_forward")
                       : has("positions")   ? "positions"
                       : has("embedding")   ? "embeddings"
                                            : "output";
    parts[part] += value.numel();
  }
  return parts;
}

}  // namespace mha
