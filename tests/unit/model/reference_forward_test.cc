// The whole model against a second forward pass that shares no code with it: one sentence at a time, no packing, no
// masks but the causal one, a loop over heads, all in double.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "unit/model/model_testing.h"

namespace mha {
namespace {

using testing::batch_of;
using testing::kBos;
using testing::kEos;
using testing::largest_difference;
using testing::sentence;
using testing::Sentences;
using testing::shake_vectors;
using testing::small_spec;

class PlainForward {
 public:
  explicit PlainForward(const Transformer& model) : model_(model), config_(model.spec().model) {}

  /// Log-probabilities [target length + 1, vocab] of what follows BOS and each target token.
  at::Tensor log_probs(const std::vector<std::int32_t>& source, const std::vector<std::int32_t>& target) const {
    const at::Tensor memory = encode(source);
    std::vector<std::int32_t> read = {kBos};
    read.insert(read.end(), target.begin(), target.end());
    at::Tensor x = embed(read, "target_embedding", "decoder");
    for (std::int64_t i = 0; i < config_.decoder_layers; ++i) {
      const std::string layer = "decoder.layers." + std::to_string(i) + ".";
      x = sublayer(x, layer + "self_attn_norm", [&](const at::Tensor& h) {
        return attention(h, h, layer + "self_attn", AttnPlace::decoder_self, i, true);
      });
      x = sublayer(x, layer + "cross_attn_norm", [&](const at::Tensor& h) {
        return attention(h, memory, layer + "cross_attn", AttnPlace::cross, i, false);
      });
      x = sublayer(x, layer + "ffn_norm", [&](const at::Tensor& h) { return feed_forward(h, layer + "ffn"); });
    }
    if (config_.norm == NormPlace::pre) x = norm(x, "decoder.norm");
    const bool tied = config_.share_decoder_input_output_embed;
    const at::Tensor logits = at::matmul(x, parameter(tied ? "target_embedding" : "output_weight").t());
    return logits - at::logsumexp(logits, {1}, true);
  }

 private:
  at::Tensor parameter(const std::string& name) const { return model_.parameters().get(name).detach().to(at::kDouble); }

  at::Tensor encode(const std::vector<std::int32_t>& source) const {
    at::Tensor x = embed(source, "source_embedding", "encoder");
    for (std::int64_t i = 0; i < config_.encoder_layers; ++i) {
      const std::string layer = "encoder.layers." + std::to_string(i) + ".";
      x = sublayer(x, layer + "self_attn_norm", [&](const at::Tensor& h) {
        return attention(h, h, layer + "self_attn", AttnPlace::encoder_self, i, false);
      });
      x = sublayer(x, layer + "ffn_norm", [&](const at::Tensor& h) { return feed_forward(h, layer + "ffn"); });
    }
    return config_.norm == NormPlace::pre ? norm(x, "encoder.norm") : x;
  }

  at::Tensor embed(const std::vector<std::int32_t>& ids, const std::string& table, const std::string& side) const {
    const at::Tensor weight = parameter(table);
    const std::int64_t d = config_.d_model;
    at::Tensor x = at::empty({static_cast<std::int64_t>(ids.size()), d}, at::kDouble);
    for (std::int64_t t = 0; t < x.size(0); ++t) {
      x[t] = weight[ids[static_cast<std::size_t>(t)]] * std::sqrt(static_cast<double>(d));
      if (config_.positions == Positions::learned) {
        x[t] += parameter(side + ".positions")[t];
        continue;
      }
      for (std::int64_t j = 0; j < d; ++j) {
        const double angle =
            static_cast<double>(t) / std::pow(10000.0, static_cast<double>(j - j % 2) / static_cast<double>(d));
        x[t][j] += j % 2 == 0 ? std::sin(angle) : std::cos(angle);
      }
    }
    return config_.embedding_norm ? norm(x, side + ".embedding_norm") : x;
  }

  template <class F>
  at::Tensor sublayer(const at::Tensor& x, const std::string& norm_name, F&& function) const {
    if (config_.norm == NormPlace::pre) return x + function(norm(x, norm_name));
    return norm(x + function(x), norm_name);
  }

  at::Tensor norm(const at::Tensor& x, const std::string& name) const {
    const at::Tensor gamma = parameter(name + ".gamma");
    if (config_.norm_kind == NormKind::rmsnorm) return x / at::sqrt(x.pow(2).mean(1, true) + config_.norm_eps) * gamma;
    const at::Tensor mean = x.mean(1, true), variance = (x - mean).pow(2).mean(1, true);
    return (x - mean) / at::sqrt(variance + config_.norm_eps) * gamma + parameter(name + ".beta");
  }

  at::Tensor affine(const at::Tensor& x, const std::string& weight, const std::string& bias) const {
    const at::Tensor y = at::matmul(x, parameter(weight).t());
    return config_.bias ? y + parameter(bias) : y;
  }

  at::Tensor feed_forward(const at::Tensor& x, const std::string& name) const {
    at::Tensor h = affine(x, name + ".w_1", name + ".b_1");
    if (config_.activation == Activation::relu) h = h.clamp_min(0);
    if (config_.activation == Activation::gelu) h = 0.5 * h * (1 + at::erf(h / std::sqrt(2.0)));
    if (config_.activation == Activation::swiglu) h = h * at::sigmoid(h) * affine(x, name + ".w_3", name + ".b_3");
    return affine(h, name + ".w_2", name + ".b_2");
  }

  at::Tensor attention(const at::Tensor& x, const at::Tensor& memory, const std::string& name, AttnPlace place,
                       std::int64_t layer, bool causal) const {
    const AttentionSettings settings = attention_settings(model_.spec().attention, place, layer + 1);
    const HeadDims dims = head_dims(settings, config_.d_model);
    const at::Tensor q = affine(x, name + ".w_q", name + ".b_q"), k = affine(memory, name + ".w_k", name + ".b_k"),
                     v = affine(memory, name + ".w_v", name + ".b_v");
    at::Tensor joined = at::empty({x.size(0), dims.heads * dims.d_v}, at::kDouble);
    for (std::int64_t head = 0; head < dims.heads; ++head) {
      for (std::int64_t t = 0; t < x.size(0); ++t) {
        const std::int64_t visible = causal ? t + 1 : memory.size(0);
        const at::Tensor keys = k.narrow(0, 0, visible).narrow(1, head * dims.d_k, dims.d_k);
        const at::Tensor query = q[t].narrow(0, head * dims.d_k, dims.d_k);
        const at::Tensor weights = at::softmax(at::mv(keys, query) / std::sqrt(static_cast<double>(dims.d_k)), 0);
        joined[t].narrow(0, head * dims.d_v, dims.d_v) =
            at::mv(v.narrow(0, 0, visible).narrow(1, head * dims.d_v, dims.d_v).t(), weights);
      }
    }
    return settings.output_projection ? affine(joined, name + ".w_o", name + ".b_o") : joined;
  }

  const Transformer& model_;
  const ModelConfig& config_;
};

Transformer::Spec post_norm() {
  Transformer::Spec spec = small_spec();
  spec.model.norm = NormPlace::post;
  return spec;
}
Transformer::Spec pre_norm_modern() {
  Transformer::Spec spec = small_spec("per_head");
  spec.model.norm_kind = NormKind::rmsnorm;
  spec.model.activation = Activation::swiglu;
  spec.model.share_decoder_input_output_embed = false;
  spec.attention.d_v = 2;
  spec.attention.decoder_self.patch = json{{"num_heads", 2}};
  return spec;
}
Transformer::Spec no_bias_learned() {
  Transformer::Spec spec = small_spec();
  spec.model.d_model = 9;  // odd: the last position feature is a sine without its cosine
  spec.model.activation = Activation::gelu;
  spec.model.bias = false;
  spec.model.positions = Positions::learned;
  spec.model.embedding_norm = true;
  spec.model.encoder_layers = 1;
  spec.attention.output_projection = false;
  spec.attention.d_v = 3;
  return spec;
}
Transformer::Spec odd_width() {
  Transformer::Spec spec = small_spec();
  spec.model.d_model = 7;
  return spec;
}

class ReferenceForward : public ::testing::TestWithParam<Transformer::Spec> {};

TEST_P(ReferenceForward, GivesTheSameProbabilitiesAndLosses) {
  Transformer model(GetParam(), at::kCPU);
  shake_vectors(model.parameters());
  const Sentences sources = {sentence(4, 1), sentence(7, 2), {kEos}}, targets = {sentence(6, 3), {}, sentence(3, 4)};
  const BatchTensors batch = batch_of(sources, targets);

  std::vector<at::Tensor> tables;
  const PlainForward plain(model);
  for (std::size_t i = 0; i < sources.size(); ++i) tables.push_back(plain.log_probs(sources[i], targets[i]));
  const at::Tensor all = at::cat(tables);
  const at::Tensor expected = all.gather(1, batch.target_out.unsqueeze(1)).squeeze(1);
  EXPECT_LT(largest_difference(model.token_log_probs(batch, {}), expected), 2e-5);

  // In double the two agree to the last digits; the positions are a table of floats.
  model.parameters().flatten(at::kCPU, at::kDouble);
  ForwardContext context;
  context.dtype = at::kDouble;
  const TokenLoss loss = model.loss(batch, 0.1, context);
  const double nll = -expected.sum().item<double>();
  at::Tensor without_pad = all.clone();
  without_pad.select(1, 0).zero_();
  const double even = -without_pad.sum().item<double>() / static_cast<double>(all.size(1) - 1);
  EXPECT_NEAR(loss.nll.item<double>(), nll, 2e-6);
  EXPECT_NEAR(loss.smoothed.item<double>(), 0.9 * nll + 0.1 * even, 2e-6);
}

INSTANTIATE_TEST_SUITE_P(Models, ReferenceForward,
                         ::testing::Values(post_norm(), pre_norm_modern(), no_bias_learned(), odd_width()));

}  // namespace
}  // namespace mha
