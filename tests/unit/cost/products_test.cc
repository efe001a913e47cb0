#include "cost/products.h"

#include <gtest/gtest.h>

#include "unit/cost/cost_testing.h"

namespace mha {
namespace {

using testing::small_config;
using testing::small_shape;

constexpr double kQ = 8 * 12, kK = 8 * 12, kV = 8 * 15, kO = 15 * 8, kFfn = 2 * 8 * 20, kWidths = 12 + 15;

TEST(Products, WithWeightsByHand) {
  const ProductCount count = training_products(small_config(), small_shape());
  EXPECT_EQ(count.encoder_self_projections.per_source_token, 2 * (kQ + kK + kV + kO));
  EXPECT_EQ(count.decoder_self_projections.per_target_token, 3 * (kQ + kK + kV + kO));
  EXPECT_EQ(count.cross_projections.per_source_token, 3 * (kK + kV));
  EXPECT_EQ(count.cross_projections.per_target_token, 3 * (kQ + kO));
  EXPECT_EQ(count.encoder_feed_forward.per_source_token, 2 * kFfn);
  EXPECT_EQ(count.decoder_feed_forward.per_target_token, 3 * kFfn);
  EXPECT_EQ(count.output.per_target_token, 13 * 8);
  EXPECT_EQ(count.feed_forward().per_source_token, 2 * kFfn);
  EXPECT_EQ(count.feed_forward().per_target_token, 3 * kFfn);
}

TEST(Products, ScoresGrowWithTheLengths) {
  RunShape shape = small_shape();
  const ProductCount count = training_products(small_config(), shape);
  EXPECT_EQ(count.encoder_self_scores.per_source_token, 2 * 6 * kWidths);
  EXPECT_EQ(count.decoder_self_scores.per_target_token, 3 * 9 * kWidths);
  EXPECT_EQ(count.cross_scores.per_target_token, 3 * 6 * kWidths);
  EXPECT_EQ(count.scores().per_target_token, 3 * 15 * kWidths);
  EXPECT_EQ(count.attention().per_source_token, 2 * (kQ + kK + kV + kO + 6 * kWidths) + 3 * (kK + kV));
  shape.source_length *= 2;
  EXPECT_EQ(training_products(small_config(), shape).encoder_self_scores.per_source_token, 2 * 12 * kWidths);
}

TEST(Products, DecodingLooksBackOnly) {
  const ProductCount training = training_products(small_config(), small_shape()),
                     decoding = decoding_products(small_config(), small_shape());
  EXPECT_EQ(decoding.decoder_self_scores.per_target_token, 3 * 5 * kWidths);  // 1 to 9 keys: 5 in the mean
  EXPECT_EQ(decoding.total().per_source_token, training.total().per_source_token);
  EXPECT_EQ(training.total().per_target_token - decoding.total().per_target_token, 3 * 4 * kWidths);
}

TEST(Products, FlopsLayTheSourceOnTheTarget) {
  const TokenProducts all = training_products(small_config(), small_shape()).total();
  EXPECT_DOUBLE_EQ(per_target_token(all, small_shape()), all.per_target_token + all.per_source_token * 6 / 9);
  EXPECT_DOUBLE_EQ(train_flops_per_token(small_config(), small_shape()), 6 * per_target_token(all, small_shape()));
  EXPECT_DOUBLE_EQ(decode_flops_per_token(small_config(), small_shape()),
                   2 * per_target_token(decoding_products(small_config(), small_shape()).total(), small_shape()));
}

// A tied output matrix is multiplied with all the same; swiglu has one matrix more, a place without W_O one less.
TEST(Products, WhatAConfigurationChanges) {
  const auto total = [](const RunConfig& config) { return training_products(config, small_shape()).total(); };
  const TokenProducts usual = total(small_config());
  RunConfig config = small_config();
  config.model.share_decoder_input_output_embed = false;
  EXPECT_EQ(total(config).per_target_token, usual.per_target_token);
  config = small_config();
  config.model.activation = Activation::swiglu;
  EXPECT_EQ(total(config).per_source_token - usual.per_source_token, 2 * 8 * 20);
  config = small_config();
  config.attention.num_heads = 2;
  config.attention.d_v = 4;
  const TokenProducts with = total(config);
  config.attention.output_projection = false;
  EXPECT_EQ(with.per_target_token - total(config).per_target_token, 3 * 2 * 8 * 8);
}

// The textbook's bill: h heads of d_k cost what one head of h * d_k costs.
TEST(Products, HeadsCostNoMoreThanOne) {
  RunConfig one = small_config();
  one.attention.num_heads = 1;
  one.attention.d_k = ValueOrWord<std::int64_t>::of(12);
  one.attention.d_v = 15;
  EXPECT_EQ(train_flops_per_token(one, small_shape()), train_flops_per_token(small_config(), small_shape()));
}

}  // namespace
}  // namespace mha
