#include "model/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "unit/model/model_testing.h"

namespace mha {
namespace {

using testing::batch_of;
using testing::largest_difference;
using testing::same_bytes;
using testing::sentence;
using testing::small_spec;

std::int64_t count(const Transformer::Spec& spec) { return Transformer(spec, at::kCPU).parameters().count(); }

/// What the options should cost, written down part by part.
std::map<std::string, std::int64_t> expected_parts(const Transformer::Spec& spec) {
  const ModelConfig& m = spec.model;
  const std::int64_t d = m.d_model, norm = m.norm_kind == NormKind::rmsnorm ? d : 2 * d, bias = m.bias ? 1 : 0;
  const HeadDims h = head_dims(spec.attention, d);
  const bool out = spec.attention.output_projection;
  const std::int64_t attention =
      h.heads * (2 * h.d_k + h.d_v * (out ? 2 : 1)) * d + bias * (h.heads * (2 * h.d_k + h.d_v) + (out ? d : 0));
  const std::int64_t gates = m.activation == Activation::swiglu ? 2 : 1;
  const std::int64_t ffn = (gates + 1) * d * m.d_ff + bias * (gates * m.d_ff + d);
  const std::int64_t last_norms = m.norm == NormPlace::pre ? 2 : 0;
  std::map<std::string, std::int64_t> parts = {
      {"embeddings", m.share_all_embeddings ? spec.source_vocab * d : (spec.source_vocab + spec.target_vocab) * d},
      {"encoder_self_attention", m.encoder_layers * attention},
      {"decoder_self_attention", m.decoder_layers * attention},
      {"cross_attention", m.decoder_layers * attention},
      {"encoder_feed_forward", m.encoder_layers * ffn},
      {"decoder_feed_forward", m.decoder_layers * ffn},
      {"norms", (2 * m.encoder_layers + 3 * m.decoder_layers + last_norms + (m.embedding_norm ? 2 : 0)) * norm}};
  if (m.positions == Positions::learned) parts["positions"] = 2 * m.max_positions * d;
  if (!m.share_all_embeddings && !m.share_decoder_input_output_embed) parts["output"] = spec.target_vocab * d;
  return parts;
}

TEST(ParameterCount, ClosedFormOfEveryOption) {
  std::vector<std::pair<const char*, Transformer::Spec>> specs;
  const auto add = [&](const char* name, auto change) {
    Transformer::Spec spec = small_spec();
    spec.target_vocab = 14;
    change(spec);
    specs.emplace_back(name, spec);
  };
  add("defaults", [](auto&) {});
  add("untied", [](auto& s) { s.model.share_decoder_input_output_embed = false; });
  add("all shared", [](auto& s) { s.target_vocab = 12, s.model.share_all_embeddings = true; });
  add("no bias", [](auto& s) { s.model.bias = false; });
  add("swiglu", [](auto& s) { s.model.activation = Activation::swiglu; });
  add("swiglu without bias", [](auto& s) { s.model.activation = Activation::swiglu, s.model.bias = false; });
  add("rmsnorm", [](auto& s) { s.model.norm_kind = NormKind::rmsnorm; });
  add("post-norm", [](auto& s) { s.model.norm = NormPlace::post; });
  add("learned positions", [](auto& s) { s.model.positions = Positions::learned; });
  add("embedding norm", [](auto& s) { s.model.embedding_norm = true; });
  add("no output matrix",
      [](auto& s) { s.attention.output_projection = false, s.attention.num_heads = 4, s.attention.d_v = 2; });
  add("other layers", [](auto& s) { s.model.encoder_layers = 3, s.model.decoder_layers = 1; });
  for (const auto& [name, spec] : specs) {
    const Transformer model(spec, at::kCPU);
    const auto parts = model.parameters_by_part();
    EXPECT_EQ(parts, expected_parts(spec)) << name;
    const auto sum = std::accumulate(parts.begin(), parts.end(), std::int64_t{0},
                                     [](std::int64_t total, const auto& part) { return total + part.second; });
    EXPECT_EQ(sum, model.parameters().count()) << name;
  }
}

TEST(ParameterCount, ATiedMatrixCountsOnce) {
  Transformer::Spec tied = small_spec();
  tied.source_vocab = tied.target_vocab = 5;
  tied.model.d_model = 3;
  Transformer::Spec untied = tied, shared = tied;
  untied.model.share_decoder_input_output_embed = false;
  shared.model.share_all_embeddings = true;
  EXPECT_EQ(count(untied) - count(tied), 15);
  EXPECT_EQ(count(untied) - count(shared), 30);
}

TEST(ParameterCount, PlacesAndLayersMayDiffer) {
  Transformer::Spec spec = small_spec();
  const std::int64_t before = count(spec);
  spec.attention.cross.patch = json{{"num_heads", 1}};
  spec.attention.encoder_self.patch = json{{"layers", {{"2", {{"d_k", 7}, {"d_v", 5}}}}}};
  const Transformer model(spec, at::kCPU);
  EXPECT_EQ(model.parameters().get("decoder.layers.1.cross_attn.w_q").sizes(), at::IntArrayRef({5, 8}));
  EXPECT_EQ(model.parameters().get("encoder.layers.0.self_attn.w_q").sizes(), at::IntArrayRef({15, 8}));
  EXPECT_EQ(model.parameters().get("encoder.layers.1.self_attn.w_q").sizes(), at::IntArrayRef({21, 8}));
  const std::int64_t head = 4 * 5 * 8 + 3 * 5, wider = 3 * 2 * 2 * 8 + 3 * 2 * 2;  // weights and biases
  EXPECT_EQ(model.parameters().count(), before - 2 * 2 * head + wider);
}

// The gradient of a tied matrix is the sum over its uses, and one step moves it once.
TEST(TiedEmbeddings, OneMatrixWithTwoUses) {
  Transformer::Spec spec = small_spec();
  spec.source_vocab = spec.target_vocab = 5;
  spec.model.d_model = 3;
  Transformer tied(spec, at::kCPU);
  spec.model.share_decoder_input_output_embed = false;
  Transformer untied(spec, at::kCPU);
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    tied.parameters().flatten(at::kCPU, type);
    untied.parameters().flatten(at::kCPU, type);
    untied.parameters().get("output_weight").data().copy_(untied.parameters().get("target_embedding").detach());
    ForwardContext context;
    context.dtype = type;
    const BatchTensors batch = batch_of({{4, 3}, {4, 4, 3}}, {{4}, {4, 4}});
    tied.loss(batch, 0.1, context).smoothed.backward();
    untied.loss(batch, 0.1, context).smoothed.backward();
    const at::Tensor sum =
        untied.parameters().get("target_embedding").grad() + untied.parameters().get("output_weight").grad();
    const at::Tensor gradient = tied.parameters().get("target_embedding").grad();
    EXPECT_LT(largest_difference(gradient, sum), 1e-5);
    EXPECT_GT(untied.parameters().get("target_embedding").grad().abs().max().item<double>(), 1e-3);
    EXPECT_GT(untied.parameters().get("output_weight").grad().abs().max().item<double>(), 1e-3);
  }
  const at::Tensor before = tied.parameters().get("target_embedding").detach().clone();
  tied.parameters().flat_gradients().fill_(1);
  tied.parameters().flat_values().sub_(tied.parameters().flat_gradients(), 0.1);
  EXPECT_LT(largest_difference(tied.parameters().get("target_embedding"), before - 0.1), 1e-12);
}

TEST(Initialisation, DependsOnSeedAndNameOnly) {
  Transformer::Spec spec = small_spec();
  const Transformer one(spec, at::kCPU), again(spec, at::kCPU);
  EXPECT_TRUE(
      same_bytes(one.parameters().get("encoder.layers.1.ffn.w_1"), again.parameters().get("encoder.layers.1.ffn.w_1")));
  spec.model.encoder_layers = 5;
  spec.model.share_decoder_input_output_embed = false;
  spec.attention.kind = "per_head";
  const Transformer larger(spec, at::kCPU);
  for (const auto& [name, value] : one.parameters().all()) {
    EXPECT_TRUE(same_bytes(value, larger.parameters().get(name))) << name;
  }
  spec.seed = 2;
  const Transformer other(spec, at::kCPU);
  std::set<float> first_values;
  for (const auto& [name, value] : larger.parameters().all()) {
    if (value.dim() < 2) continue;
    EXPECT_FALSE(same_bytes(value, other.parameters().get(name))) << name;
    first_values.insert(value.flatten()[0].item<float>());
  }
  EXPECT_GT(first_values.size(), 30U);  // no two matrices start alike
}

TEST(Initialisation, RangesAndDeviations) {
  Transformer::Spec spec = small_spec();
  spec.model.d_model = 64;
  spec.model.d_ff = 100;
  spec.source_vocab = 400;
  const Transformer model(spec, at::kCPU);
  const at::Tensor w_1 = model.parameters().get("encoder.layers.0.ffn.w_1").detach();
  const double bound = std::sqrt(6.0 / 164.0);
  EXPECT_LE(w_1.abs().max().item<double>(), bound);
  EXPECT_GT(w_1.abs().max().item<double>(), 0.98 * bound);
  EXPECT_NEAR(w_1.square().mean().item<double>(), bound * bound / 3, 0.03 * bound * bound / 3);
  const at::Tensor embedding = model.parameters().get("source_embedding").detach();
  EXPECT_NEAR(embedding.square().mean().item<double>(), 1.0 / 64, 0.03 / 64);
  EXPECT_NEAR(embedding.mean().item<double>(), 0, 0.003);
  EXPECT_EQ(model.parameters().get("encoder.layers.0.ffn.b_1").abs().max().item<float>(), 0);
  EXPECT_EQ(model.parameters().get("encoder.norm.gamma").sub(1).abs().max().item<float>(), 0);
}

TEST(ParameterStore, FlatBuffersAreTheParameters) {
  ParameterStore store(1);
  const at::Tensor a = store.add("a", {3, 5}, Init::ones()), b = store.add("b", {2}, Init::normal(1));
  const at::Tensor start = b.detach().clone();
  store.flatten(at::kCPU);
  EXPECT_TRUE(same_bytes(store.get("b").detach(), start));
  EXPECT_EQ(store.count(), 17);
  EXPECT_EQ(store.flat_values().numel() % 16, 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.const_data_ptr()) - reinterpret_cast<std::uintptr_t>(a.const_data_ptr()),
            64U);
  store.flat_values().fill_(4);
  EXPECT_EQ(a.sum().item<float>(), 60);
  (a.sum() + 2 * b.sum()).backward();
  EXPECT_EQ(store.flat_gradients().sum().item<float>(), 15 + 4);
  a.sum().backward();  // adds up in place
  EXPECT_EQ(store.view_like(store.flat_gradients(), 0).sum().item<float>(), 30);
  store.zero_gradients();
  EXPECT_EQ(a.grad().abs().max().item<float>(), 0);
  EXPECT_THROW(store.get("c"), std::out_of_range);
  EXPECT_THROW(store.add("a", {1}, Init::zeros()), std::logic_error);
}

TEST(ParameterStore, TurnsIntoDouble) {
  ParameterStore store(1);
  const at::Tensor a = store.add("a", {3}, Init::normal(1));
  store.flatten(at::kCPU);
  const at::Tensor start = a.detach().clone();
  store.flatten(at::kCPU, at::kDouble);
  EXPECT_EQ(a.scalar_type(), at::kDouble);
  EXPECT_TRUE(same_bytes(a.detach(), start.to(at::kDouble)));
  (a * 3).sum().backward();
  EXPECT_EQ(store.flat_gradients().sum().item<double>(), 9);
}

}  // namespace
}  // namespace mha
