// Products with packed weights against sums in double, and bit for bit against themselves in other batches.
#include "ops/inference/packed_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "unit/ops/inference_testing.h"

namespace mha {
namespace {

using testing::Matrix;
using testing::random_matrix;

std::string name_of(WeightFormat format) {
  return format == WeightFormat::fp32 ? "fp32" : format == WeightFormat::bf16 ? "bf16" : "int8";
}

PackedWeights pack(const Matrix& w, const std::vector<float>& bias, WeightFormat format) {
  const WeightPart part{.weight = w.data.data(), .bias = bias.empty() ? nullptr : bias.data(), .out = w.rows};
  return PackedWeights({&part, 1}, w.columns, format);
}

/// y with whole panels a row.
Matrix product(const Matrix& x, const PackedWeights& weights, bool relu = false) {
  ProductRows rows;
  rows.assign(weights.layout(), x.data.data(), x.columns, x.rows, x.columns);
  Matrix y(x.rows, weights.padded_out());
  multiply(rows, weights, y.data.data(), y.columns, relu);
  return y;
}

class PackedProduct : public ::testing::TestWithParam<WeightFormat> {
 protected:
  /// Largest error that rounding may make of a sum of `inner` products of numbers in [-1, 1).
  double tolerance(std::int64_t inner) const {
    const double unit = GetParam() == WeightFormat::fp32 ? 5e-7 : GetParam() == WeightFormat::bf16 ? 4e-3 : 8e-3;
    return unit * (4 + 2 * std::sqrt(static_cast<double>(inner)));
  }
};

TEST_P(PackedProduct, IsTheSumOfProducts) {
  for (const auto& [rows, in, out] : {std::tuple<std::int64_t, std::int64_t, std::int64_t>{1, 1, 1},
                                      {13, 7, 33},
                                      {5, 130, 100},
                                      {24, 128, 64},
                                      {40, 37, 31},
                                      {2, 515, 96}}) {
    const Matrix x = random_matrix(rows, in, 1), w = random_matrix(out, in, 2), b = random_matrix(1, out, 3);
    for (const bool relu : {false, true}) {
      const Matrix y = product(x, pack(w, {b.data.begin(), b.data.end()}, GetParam()), relu);
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < out; ++j) {
          double sum = static_cast<double>(b(0, j));
          for (std::int64_t k = 0; k < in; ++k) sum += static_cast<double>(x(i, k)) * static_cast<double>(w(j, k));
          if (relu) sum = std::max(sum, 0.0);
          ASSERT_NEAR(static_cast<double>(y(i, j)), sum, tolerance(in)) << rows << " x " << in << " x " << out;
        }
      }
    }
  }
}

TEST_P(PackedProduct, ARowDoesNotDependOnTheOthers) {
  constexpr std::int64_t kMost = 200;
  for (const std::int64_t in : {37, 128}) {
    const Matrix x = random_matrix(kMost, in, 4);
    const PackedWeights weights = pack(random_matrix(70, in, 5), {}, GetParam());
    const Matrix all = product(x, weights);
    for (const std::int64_t batch : {1, 2, 5, 12, 63, 64}) {
      for (std::int64_t first = 0; first < kMost; first += batch) {
        const std::int64_t rows = std::min(batch, kMost - first);
        const Matrix some = product(x.rows_from(first, rows), weights);
        ASSERT_TRUE(testing::same_bytes(some, all.rows_from(first, rows))) << "rows " << first << " + " << rows;
      }
    }
  }
}

TEST_P(PackedProduct, PartsEqualTheWhole) {
  const Matrix x = random_matrix(29, 40, 6);
  const PackedWeights weights = pack(random_matrix(150, 40, 7), {}, GetParam());
  const Matrix all = product(x, weights);
  ProductRows rows;
  rows.assign(weights.layout(), x.data.data(), x.columns, x.rows, x.columns);
  Matrix part(10, 2 * kPanel);
  multiply(rows, weights, {.first_row = 13, .rows = 10, .first_panel = 2, .panels = 2}, part.data.data(), part.columns);
  for (std::int64_t i = 0; i < 10; ++i) {
    for (std::int64_t j = 0; j < part.columns; ++j) ASSERT_EQ(part(i, j), all(13 + i, 2 * kPanel + j));
  }
}

TEST_P(PackedProduct, StackedWeightsAreColumnsOneAfterAnother) {
  const Matrix x = random_matrix(3, 20, 8), a = random_matrix(19, 20, 9), b = random_matrix(30, 20, 10);
  const std::vector<float> bias(30, 0.5F);
  const std::vector<WeightPart> parts = {{.weight = a.data.data(), .bias = nullptr, .out = 19},
                                         {.weight = b.data.data(), .bias = bias.data(), .out = 30}};
  const Matrix both = product(x, PackedWeights(parts, 20, GetParam(), 7));
  const Matrix first = product(x, pack(a, {}, GetParam())), second = product(x, pack(b, bias, GetParam()));
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 19; ++j) ASSERT_EQ(both(i, j), first(i, j));
    for (std::int64_t j = 0; j < 30; ++j) ASSERT_EQ(both(i, 19 + j), second(i, j));
    for (std::int64_t j = 49; j < both.columns; ++j) ASSERT_EQ(both(i, j), 7);
  }
}

TEST_P(PackedProduct, ZerosAndNotANumber) {
  Matrix x(2, 33);
  x(1, 32) = std::numeric_limits<float>::quiet_NaN();
  const Matrix y = product(x, pack(random_matrix(4, 33, 11), {1, 2, 3, 4}, GetParam()));
  for (std::int64_t j = 0; j < 4; ++j) {
    EXPECT_EQ(y(0, j), static_cast<float>(j + 1));
    EXPECT_TRUE(std::isnan(y(1, j))) << "a broken row must not look sound";
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, PackedProduct,
                         ::testing::Values(WeightFormat::fp32, WeightFormat::bf16, WeightFormat::int8),
                         [](const auto& test) { return name_of(test.param); });

}  // namespace
}  // namespace mha
