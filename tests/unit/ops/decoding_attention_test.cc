// Attention for inference and row kernels against the same in double.
#include "ops/inference/decoding_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <tuple>

#include "ops/inference/row_kernels.h"
#include "unit/ops/inference_testing.h"

namespace mha {
namespace {

using testing::Matrix;
using testing::random_matrix;

/// softmax(scale q k^T) v of one query row, all heads.
std::vector<double> plain(const HeadWidths& w, const Matrix& q, std::int64_t row, const Matrix& kv) {
  std::vector<double> out;
  for (std::int64_t h = 0; h < w.heads; ++h) {
    std::vector<double> weights;
    double sum = 0;
    for (std::int64_t t = 0; t < kv.rows; ++t) {
      double score = 0;
      for (std::int64_t i = 0; i < w.d_k; ++i)
        score += static_cast<double>(q(row, h * w.d_k + i)) * static_cast<double>(kv(t, h * w.d_k + i));
      weights.push_back(std::exp(score * static_cast<double>(w.scale)));
      sum += weights.back();
    }
    for (std::int64_t j = 0; j < w.d_v; ++j) {
      double value = 0;
      for (std::int64_t t = 0; t < kv.rows; ++t)
        value +=
            weights[static_cast<std::size_t>(t)] / sum * static_cast<double>(kv(t, w.heads * w.d_k + h * w.d_v + j));
      out.push_back(value);
    }
  }
  return out;
}

TEST(DecodingAttention, EqualsThePlainForm) {
  for (const auto& [heads, d_k, d_v] :
       {std::tuple<std::int64_t, std::int64_t, std::int64_t>{4, 32, 32}, {3, 5, 7}, {1, 16, 33}, {2, 70, 16}}) {
    const HeadWidths widths{.heads = heads, .d_k = d_k, .d_v = d_v, .scale = 0.7F};
    for (const std::int64_t keys : {1, 15, 16, 17, 70}) {
      const Matrix q = random_matrix(9, widths.q_width(), 1), kv = random_matrix(keys, widths.kv_width(), 2);
      AlignedVector<float> arranged(static_cast<std::size_t>(arranged_size(widths, keys))), scratch;
      arrange_memory(widths, {kv.data.data(), kv.columns}, keys, arranged.data());
      std::vector<const float*> scattered;
      for (std::int64_t t = 0; t < keys; ++t) scattered.push_back(kv.data.data() + t * kv.columns);
      Matrix together(9, widths.out_width()), alone(9, widths.out_width()), apart(9, widths.out_width());
      attend_memory(widths, arranged.data(), keys, {q.data.data(), q.columns}, 9,
                    {together.data.data(), together.columns}, scratch);
      for (std::int64_t i = 0; i < 9; ++i) {
        const float* query = q.data.data() + i * q.columns;
        attend_memory(widths, arranged.data(), keys, {query, q.columns}, 1, {&alone(i, 0), alone.columns}, scratch);
        attend_scattered(widths, scattered.data(), keys, query, &apart(i, 0), scratch);
        const std::vector<double> expected = plain(widths, q, i, kv);
        for (std::int64_t j = 0; j < widths.out_width(); ++j) {
          ASSERT_NEAR(static_cast<double>(together(i, j)), expected[static_cast<std::size_t>(j)], 1e-5);
          ASSERT_NEAR(static_cast<double>(apart(i, j)), expected[static_cast<std::size_t>(j)], 1e-5);
        }
      }
      ASSERT_TRUE(testing::same_bytes(together, alone)) << "a query's result does not depend on the others";
    }
  }
}

TEST(RowKernels, Norms) {
  for (const std::int64_t width : {1, 8, 37, 128}) {
    for (const bool rms : {false, true}) {
      Matrix x = random_matrix(3, width, 3), out(3, width);
      const Matrix before = x, branch = random_matrix(3, width, 4), gamma = random_matrix(1, width, 5),
                   beta = random_matrix(1, width, 6);
      const RowNorm norm{.gamma = gamma.data.data(), .beta = rms ? nullptr : beta.data.data(), .eps = 1e-5, .rms = rms};
      add_and_norm(norm, width, 3, {branch.data.data(), width}, {x.data.data(), width}, {out.data.data(), width});
      for (std::int64_t i = 0; i < 3; ++i) {
        double mean = 0, square = 0;
        for (std::int64_t j = 0; j < width; ++j) {
          ASSERT_EQ(x(i, j), before(i, j) + branch(i, j));
          mean += static_cast<double>(x(i, j)) / static_cast<double>(width);
        }
        if (rms) mean = 0;
        for (std::int64_t j = 0; j < width; ++j)
          square += std::pow(static_cast<double>(x(i, j)) - mean, 2) / static_cast<double>(width);
        for (std::int64_t j = 0; j < width; ++j) {
          const double expected =
              (static_cast<double>(x(i, j)) - mean) / std::sqrt(square + 1e-5) * static_cast<double>(gamma(0, j)) +
              (rms ? 0.0 : static_cast<double>(beta(0, j)));
          ASSERT_NEAR(static_cast<double>(out(i, j)), expected, 1e-5);
        }
      }
    }
  }
}

TEST(RowKernels, Activations) {
  for (const std::int64_t width : {3, 16, 50}) {
    Matrix x = random_matrix(2, 2 * width, 7);
    for (float& value : x.data) value *= 6;
    const Matrix before = x;
    swiglu_rows({x.data.data(), x.columns}, 2, width);
    Matrix gelu = before;
    gelu_rows({gelu.data.data(), gelu.columns}, 2, 2 * width);
    for (std::int64_t i = 0; i < 2; ++i) {
      for (std::int64_t j = 0; j < width; ++j) {
        const double a = static_cast<double>(before(i, j)), gate = static_cast<double>(before(i, width + j));
        ASSERT_NEAR(static_cast<double>(x(i, j)), a / (1 + std::exp(-a)) * gate, 1e-5);
        ASSERT_EQ(x(i, width + j), before(i, width + j));
        ASSERT_NEAR(static_cast<double>(gelu(i, j)), a / 2 * (1 + std::erf(a / std::numbers::sqrt2)), 1e-5);
      }
    }
  }
}

TEST(RowKernels, Embedding) {
  const Matrix weight = random_matrix(1, 19, 8), position = random_matrix(1, 19, 9);
  Matrix out(1, 19);
  embed_row(weight.data.data(), position.data.data(), 3.0F, 19, out.data.data());
  for (std::int64_t j = 0; j < 19; ++j) EXPECT_NEAR(out(0, j), weight(0, j) * 3 + position(0, j), 1e-6F);
}

}  // namespace
}  // namespace mha
