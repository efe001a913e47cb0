#include "ops/vector_exp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mha {
namespace {

/// The same argument in every lane; all lanes must agree.
float exp_of(float x) {
  LaneVector<float>::type lanes = LaneVector<float>::type{} + x;
  exp_lanes(lanes);
  for (std::int64_t j = 1; j < kLanes; ++j) EXPECT_TRUE(lanes[j] == lanes[0] || std::isnan(lanes[0]));
  return lanes[0];
}

TEST(ExpLanes, IsAccurateOverTheWholeRange) {
  double worst = 0;
  for (float x = -87.2F; x < 88.2F; x += 0.00137F) {
    const double exact = std::exp(static_cast<double>(x));
    worst = std::max(worst, std::abs(static_cast<double>(exp_of(x)) - exact) / exact);
  }
  EXPECT_LT(worst, 2.5e-7);
  EXPECT_EQ(exp_of(0.0F), 1.0F);
}

TEST(ExpLanes, HasTheRightLimits) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(exp_of(-kInfinity), 0.0F);
  EXPECT_EQ(exp_of(-90.0F), 0.0F);
  EXPECT_EQ(exp_of(kInfinity), kInfinity);
  EXPECT_EQ(exp_of(100.0F), kInfinity);
  EXPECT_TRUE(std::isnan(exp_of(std::numeric_limits<float>::quiet_NaN())));
}

TEST(ExpAndSum, ShiftsAndAddsUp) {
  double row[32];
  double expected = 0;
  for (int j = 0; j < 32; ++j) {
    row[j] = 0.1 * j;
    expected += std::exp(0.1 * j - 3);
  }
  EXPECT_NEAR(exp_and_sum(row, 32, 3.0), expected, 1e-12);
  EXPECT_DOUBLE_EQ(row[31], std::exp(0.1 * 31 - 3));
}

TEST(Lanes, SumsAndMaximaDoNotDependOnAlignment) {
  float values[64 + 16];
  for (int j = 0; j < 80; ++j) values[j] = std::sin(static_cast<float>(j));
  for (const std::int64_t count : {0, 1, 15, 16, 17, 37, 64}) {
    float shifted[64 + 3];
    for (std::int64_t j = 0; j < count; ++j) shifted[j + 3] = values[j];
    EXPECT_EQ(lane_sum(values, count), lane_sum(shifted + 3, count));
    EXPECT_EQ(lane_dot(values, values, count), lane_dot(shifted + 3, shifted + 3, count));
    float sum = 0, largest = std::numeric_limits<float>::lowest();
    for (std::int64_t j = 0; j < count; ++j) {
      sum += values[j];
      largest = std::max(largest, values[j]);
    }
    EXPECT_NEAR(lane_sum(values, count), sum, 1e-5);
    EXPECT_EQ(lane_max(values, count), largest);
  }
}

}  // namespace
}  // namespace mha
