// The best tokens and log-probabilities against a full sort and sums in double.
#include "ops/inference/next_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "unit/ops/inference_testing.h"

namespace mha {
namespace {

using testing::Matrix;
using testing::random_matrix;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::array<std::int32_t, 2> kNever = {0, 2};

NextTokenTable find(const Matrix& hidden, const PackedWeights& weights, std::int64_t k) {
  ProductRows rows;
  rows.assign(weights.layout(), hidden.data.data(), hidden.columns, hidden.rows, hidden.columns);
  NextTokenTable table;
  NextTokens().find(rows, weights, {.k = k, .end = 3, .never = kNever}, table);
  return table;
}

PackedWeights pack(const Matrix& w) {
  const WeightPart part{.weight = w.data.data(), .bias = nullptr, .out = w.rows};
  return PackedWeights({&part, 1}, w.columns, WeightFormat::fp32, -kInfinity);
}

std::vector<double> log_softmax(const Matrix& hidden, const Matrix& w, std::int64_t row) {
  std::vector<double> logits;
  double sum = 0;
  for (std::int64_t j = 0; j < w.rows; ++j) {
    double logit = 0;
    for (std::int64_t k = 0; k < w.columns; ++k)
      logit += static_cast<double>(hidden(row, k)) * static_cast<double>(w(j, k));
    logits.push_back(logit);
    sum += std::exp(logit);
  }
  for (double& x : logits) x -= std::log(sum);
  return logits;
}

TEST(NextTokens, AreTheBestOfTheSoftmax) {
  for (const std::int64_t vocab : {5, 31, 64, 513, 1300}) {
    const Matrix hidden = random_matrix(150, 16, 1);
    Matrix w = random_matrix(vocab, 16, 2);
    for (float& x : w.data) x *= 4;  // peaks, so that the largest so far changes
    const std::int64_t k = 6;
    const NextTokenTable table = find(hidden, pack(w), k);
    for (std::int64_t row = 0; row < hidden.rows; ++row) {
      const std::vector<double> expected = log_softmax(hidden, w, row);
      ASSERT_NEAR(static_cast<double>(table.end[static_cast<std::size_t>(row)]), expected[3], 1e-5);
      std::vector<std::int32_t> order;
      for (std::int32_t token = 0; token < vocab; ++token) {
        if (token != kNever[0] && token != kNever[1]) order.push_back(token);
      }
      std::ranges::stable_sort(order, std::greater<>(),
                               [&](std::int32_t token) { return expected[static_cast<std::size_t>(token)]; });
      const auto best = table.row(row);
      ASSERT_EQ(best.size(), std::min(order.size(), static_cast<std::size_t>(k)));
      for (std::size_t i = 0; i < best.size(); ++i) {
        ASSERT_EQ(best[i].token, order[i]) << "row " << row << ", place " << i;
        ASSERT_NEAR(static_cast<double>(best[i].log_prob), expected[static_cast<std::size_t>(order[i])], 1e-5);
      }
    }
  }
}

TEST(NextTokens, OfEqualsTheLowerIds) {
  const Matrix hidden = random_matrix(3, 8, 3);
  Matrix w = random_matrix(1, 8, 4);
  Matrix same(700, 8);
  for (std::int64_t i = 0; i < 700; ++i) std::copy_n(w.data.begin(), 8, same.data.begin() + i * 8);
  const NextTokenTable table = find(hidden, pack(same), 4);
  for (std::int64_t row = 0; row < 3; ++row) {
    const auto best = table.row(row);
    ASSERT_EQ(best.size(), 4U);
    EXPECT_EQ(best[0].token, 1);
    EXPECT_EQ(best[1].token, 3);
    EXPECT_EQ(best[2].token, 4);
    EXPECT_EQ(best[3].token, 5);
    EXPECT_NEAR(static_cast<double>(best[0].log_prob), -std::log(700.0), 1e-5);
  }
}

TEST(NextTokens, RowsDoNotDependOnEachOther) {
  const Matrix hidden = random_matrix(130, 24, 5);
  const PackedWeights weights = pack(random_matrix(900, 24, 6));
  const NextTokenTable all = find(hidden, weights, 5);
  for (std::int64_t row = 0; row < hidden.rows; ++row) {
    const NextTokenTable one = find(hidden.rows_from(row, 1), weights, 5);
    EXPECT_EQ(one.end[0], all.end[static_cast<std::size_t>(row)]);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(one.row(0)[i].token, all.row(row)[i].token);
      EXPECT_EQ(one.row(0)[i].log_prob, all.row(row)[i].log_prob);
    }
  }
}

TEST(NextTokens, ARowThatIsNoDistributionHasNone) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), kInfinity}) {
    Matrix hidden = random_matrix(3, 8, 7);
    hidden(1, 2) = bad;
    const NextTokenTable table = find(hidden, pack(random_matrix(40, 8, 8)), 3);
    EXPECT_EQ(table.row(0).size(), 3U);
    EXPECT_TRUE(table.row(1).empty());
    EXPECT_FALSE(std::isfinite(table.end[1]));
    EXPECT_EQ(table.row(2).size(), 3U);
  }
}

}  // namespace
}  // namespace mha
