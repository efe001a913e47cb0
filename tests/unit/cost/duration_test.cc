#include "cost/duration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cost/batch_rows.h"
#include "cost/parameters.h"
#include "cost/products.h"
#include "unit/cost/cost_testing.h"

namespace mha {
namespace {

using testing::small_config;
using testing::small_shape;

constexpr TrainingRate kRate{.flops_per_second = 1e9, .parameters_per_second = 1e6};

RunConfig updates(std::int64_t count) {
  RunConfig config = small_config();
  config.train.max_update = count;
  config.data.max_tokens = 900;
  return config;
}

TEST(Duration, AFullBatch) {
  const BatchRows rows = full_batch(updates(1), small_shape());  // 100 sentences of 6 and 9 tokens
  EXPECT_DOUBLE_EQ(rows.source, 600);
  EXPECT_DOUBLE_EQ(rows.target, 900);
  EXPECT_EQ(rows.parts, 1);
  RunShape shape = small_shape();
  shape.threads = 8;
  EXPECT_EQ(full_batch(updates(1), shape).parts, 1);  // a second part would be too small
  RunConfig large = updates(1);
  large.data.max_tokens = 2000;
  EXPECT_EQ(full_batch(large, shape).parts, 3);
  shape.threads = 2;
  EXPECT_EQ(full_batch(large, shape).parts, 2);
  large.data.max_sentences = 10;
  EXPECT_DOUBLE_EQ(full_batch(large, shape).target, 90);
}

TEST(Duration, OfTheUpdates) {
  const double passes = train_flops_per_token(updates(1), small_shape()) * 900;
  EXPECT_DOUBLE_EQ(executed_flops(updates(1), small_shape(), 600, 900), passes);
  const double update = passes / 1e9 + static_cast<double>(parameter_count(updates(1), small_shape())) / 1e6;
  EXPECT_DOUBLE_EQ(update_seconds(updates(1), small_shape(), kRate), update);
  EXPECT_DOUBLE_EQ(expected_seconds(updates(30), small_shape(), kRate), 30 * update);
  RunConfig accumulated = updates(1);
  accumulated.train.update_freq = 4;
  EXPECT_NEAR(update_seconds(accumulated, small_shape(), kRate) - update, 3 * passes / 1e9, 1e-12);
  EXPECT_DOUBLE_EQ(update_tokens(accumulated, small_shape()), 3600);
}

// The layers' forward pass, not the output's, is made once more: 8 products instead of 6.
TEST(Duration, RecomputationIsWork) {
  RunConfig config = updates(1);
  const double usual = executed_flops(config, small_shape(), 600, 900);
  config.train.recompute = true;
  const double output = training_products(config, small_shape()).output.of(600, 900);
  EXPECT_NEAR(executed_flops(config, small_shape(), 600, 900), (usual - 6 * output) * 8 / 6 + 6 * output, 1e-3);
}

TEST(Duration, WhatEndsATraining) {
  RunShape shape = small_shape();
  RunConfig config = updates(1000);
  EXPECT_EQ(planned_updates(config, shape), 1000);
  config.train.max_epoch = 2;
  EXPECT_EQ(planned_updates(config, shape), 1000);  // the number of pairs is not known
  shape.pairs = 10'001;
  EXPECT_EQ(planned_updates(config, shape), 201);
  config.train.max_update.reset();
  EXPECT_EQ(planned_updates(config, shape), 201);
  shape.pairs = 0;
  EXPECT_TRUE(std::isnan(planned_updates(config, shape)));
  EXPECT_TRUE(std::isnan(expected_seconds(config, shape, kRate)));
  config.train.max_seconds = 60;
  EXPECT_EQ(expected_seconds(config, shape, kRate), 60);
  config.train.max_update = 1;
  EXPECT_LT(expected_seconds(config, shape, kRate), 60);
}

}  // namespace
}  // namespace mha
