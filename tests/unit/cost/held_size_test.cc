#include "cost/held_size.h"

#include <gtest/gtest.h>

#include "cost/parameters.h"
#include "cost/products.h"
#include "unit/cost/cost_testing.h"

namespace mha {
namespace {

using testing::small_config;
using testing::small_shape;

RunConfig with(std::int64_t heads, std::int64_t d_ff) {
  RunConfig config = small_config();
  config.attention.num_heads = heads;
  config.model.d_ff = d_ff;
  return config;
}

// No other width comes nearer; what it gets is what the configuration then has.
TEST(HeldSize, TheNearestWidth) {
  const std::int64_t wanted = parameter_count(with(3, 60), small_shape());
  for (const std::int64_t heads : {1, 2, 4, 5}) {
    const HeldSize held = d_ff_for_parameters(with(heads, 60), small_shape(), wanted);
    const auto distance = [&](std::int64_t d_ff) {
      return std::abs(parameter_count(with(heads, d_ff), small_shape()) - wanted);
    };
    EXPECT_EQ(held.got, static_cast<double>(parameter_count(with(heads, held.d_ff), small_shape())));
    EXPECT_LE(distance(held.d_ff), distance(held.d_ff - 1)) << heads;
    EXPECT_LE(distance(held.d_ff), distance(held.d_ff + 1)) << heads;
    EXPECT_NEAR(held.difference(), held.got / static_cast<double>(wanted) - 1, 1e-12);
  }
}

TEST(HeldSize, TheSameConfigurationKeepsItsWidth) {
  const RunConfig config = small_config();
  const HeldSize parameters = d_ff_for_parameters(config, small_shape(), parameter_count(config, small_shape()));
  EXPECT_EQ(parameters.d_ff, 20);
  EXPECT_EQ(parameters.difference(), 0);
  const HeldSize flops = d_ff_for_flops(config, small_shape(), train_flops_per_token(config, small_shape()));
  EXPECT_EQ(flops.d_ff, 20);
  EXPECT_NEAR(flops.difference(), 0, 1e-12);
}

TEST(HeldSize, FlopsToo) {
  const double wanted = train_flops_per_token(with(3, 60), small_shape());
  const HeldSize held = d_ff_for_flops(with(4, 60), small_shape(), wanted);
  EXPECT_LT(held.d_ff, 60);
  const auto distance = [&](std::int64_t d_ff) {
    return std::abs(train_flops_per_token(with(4, d_ff), small_shape()) - wanted);
  };
  EXPECT_LE(distance(held.d_ff), distance(held.d_ff - 1));
  EXPECT_LE(distance(held.d_ff), distance(held.d_ff + 1));
}

TEST(HeldSize, WhatCannotBeReachedIsSaid) {
  const HeldSize small = d_ff_for_parameters(with(3, 20), small_shape(), 100);
  EXPECT_EQ(small.d_ff, 1);
  EXPECT_GT(small.difference(), 1);
  const HeldSize large = d_ff_for_parameters(with(3, 20), small_shape(), 1'000'000'000);
  EXPECT_EQ(large.d_ff, 65536);  // the greatest that model.d_ff takes
  EXPECT_LT(large.difference(), -0.9);
}

// One unit of d_ff is 2 * 8 + 1 parameters in each of 5 layers, 85 together.
TEST(HeldSize, StepsOfOne) {
  const std::int64_t wanted = parameter_count(small_config(), small_shape());
  EXPECT_EQ(d_ff_for_parameters(small_config(), small_shape(), wanted + 42).d_ff, 20);
  EXPECT_EQ(d_ff_for_parameters(small_config(), small_shape(), wanted + 43).d_ff, 21);
}

}  // namespace
}  // namespace mha
