#include "model/products.h"

#include <gtest/gtest.h>

#include "unit/model/model_testing.h"

namespace mha {
namespace {

ModelConfig small(Activation activation) {
  ModelConfig model;
  model.encoder_layers = 2;
  model.decoder_layers = 3;
  model.d_model = 8;
  model.d_ff = 20;
  model.activation = activation;
  model.positions = Positions::learned;
  return model;
}

WeightProducts of(const ModelConfig& model, const AttentionConfig& attention) {
  return weight_products(
      Transformer({.model = model, .attention = attention, .source_vocab = 11, .target_vocab = 13}, at::kCPU));
}

TEST(WeightProducts, CountsByHand) {
  AttentionConfig attention;
  attention.num_heads = 3;
  attention.d_k = ValueOrWord<std::int64_t>::of(4);
  attention.d_v = 5;
  const double q = 8 * 12, k = 8 * 12, v = 8 * 15, o = 15 * 8, ffn = 2 * 8 * 20;
  const WeightProducts relu = of(small(Activation::relu), attention);
  EXPECT_EQ(relu.per_source_token, 2 * (q + k + v + o + ffn) + 3 * (k + v));
  EXPECT_EQ(relu.per_target_token, 3 * (q + k + v + o + q + o + ffn) + 13 * 8);
  EXPECT_EQ(relu.forward(10, 100), 10 * relu.per_source_token + 100 * relu.per_target_token);
  const WeightProducts swiglu = of(small(Activation::swiglu), attention);
  EXPECT_EQ(swiglu.per_source_token - relu.per_source_token, 2 * 8 * 20);
}

// A tied output matrix is multiplied with all the same.
TEST(WeightProducts, TyingChangesNothing) {
  AttentionConfig attention;
  attention.num_heads = 2;
  ModelConfig model = small(Activation::gelu);
  model.share_decoder_input_output_embed = true;
  const double tied = of(model, attention).per_target_token;
  model.share_decoder_input_output_embed = false;
  EXPECT_EQ(of(model, attention).per_target_token, tied);
}

}  // namespace
}  // namespace mha
