#include "cost/memory.h"

#include <gtest/gtest.h>

#include "cost/parameters.h"
#include "unit/cost/cost_testing.h"

namespace mha {
namespace {

using testing::small_config;

RunConfig base() {
  RunConfig config;
  config.vocab.size = 8000;
  config.attention.num_heads = 8;
  return config;
}

MemoryBill bill(const RunConfig& config, int threads = 1, bool bf16 = false) {
  RunShape shape = planned_shape(config);
  shape.threads = threads;
  shape.bf16 = bf16;
  return expected_memory(config, shape);
}

TEST(Memory, WeightsGradientsAndMomentsAreFloats) {
  const RunConfig config = base();
  const std::int64_t one = 4 * parameter_count(config, planned_shape(config));
  for (const int threads : {1, 2, 5}) {
    const MemoryBill of = bill(config, threads);
    EXPECT_EQ(of.weights, one);
    EXPECT_EQ(of.gradients, threads * one);  // each part has its own
    EXPECT_EQ(of.optimizer, 2 * one);
  }
  EXPECT_EQ(bill(config, 1000).gradients, 8 * one);  // 4096 tokens are no more than 8 parts
}

TEST(Memory, TheTotalIsTheSumOfTheParts) {
  std::int64_t sum = 0;
  const MemoryBill of = bill(base());
  auto visit = [&](auto member, const char*) { sum += of.*member; };
  MemoryBill::fields(visit);
  EXPECT_EQ(total(of), sum);
}

TEST(Memory, WhatLessensIt) {
  const RunConfig config = base();
  RunConfig other = config;
  other.train.recompute = true;
  EXPECT_LT(bill(other).activations, bill(config).activations / 4);
  EXPECT_LT(total(bill(other)), total(bill(config)));
  const auto half = static_cast<double>(bill(config, 1, true).activations);  // but for what is fp32 always
  EXPECT_NEAR(half / static_cast<double>(bill(config).activations), 0.5, 0.01);
  other = config;
  other.data.max_tokens /= 2;
  EXPECT_NEAR(static_cast<double>(bill(config).activations) / static_cast<double>(bill(other).activations), 2, 0.01);
  other = config;
  other.attention.path = AttnPath::generic;
  EXPECT_GT(bill(other).activations, bill(config).activations);
}

// By hand, one encoder and one decoder layer in post-norm: embeddings; of an attention place queries, keys, values,
// result and the logarithms of the sums; of the feed-forward its inner rows; after each of the five sub-layers sum and
// norm.
TEST(Memory, ActivationsByHand) {
  RunConfig config = small_config();
  config.model.encoder_layers = config.model.decoder_layers = 1;
  config.model.norm = NormPlace::post;
  config.data.max_tokens = 90;
  const std::int64_t d = 8, q = 12, v = 15, d_ff = 20, heads = 3, s = 60, t = 90;
  const std::int64_t encoder = s * (q + q + v + v + heads) + s * d_ff + 2 * 2 * s * d;
  const std::int64_t decoder =
      t * (q + q + v + v + heads) + t * (q + v + heads) + s * (q + v) + t * d_ff + 3 * 2 * t * d;
  EXPECT_EQ(expected_memory(config, testing::small_shape()).activations, 4 * ((s + t) * d + encoder + decoder));
}

}  // namespace
}  // namespace mha
