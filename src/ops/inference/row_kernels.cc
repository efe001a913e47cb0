#include "ops/inference/row_kernels.h"

#include <cmath>
#include <numbers>

#include "ops/simd.h"
#include "ops/vector_exp.h"

namespace mha {
namespace {

MHA_SIMD void norm_row(const RowNorm& norm, std::int64_t n, const float* branch, float* x, float* out) {
  if (branch != nullptr) {
    for (std::int64_t j = 0; j < n; ++j) x[j] += branch[j];
  }
  const auto size = static_cast<float>(n);
  const float centre = norm.rms ? 0.0F : lane_sum(x, n) / size;
  typename LaneVector<float>::type squares = {};
  for_lanes(x, n, centre, [&](const auto& v) {
    const auto d = v - centre;
    squares += d * d;
  });
  const float r = 1 / std::sqrt(fold_sum<float>(squares) / size + static_cast<float>(norm.eps));
  if (norm.beta != nullptr) {
    for (std::int64_t j = 0; j < n; ++j) out[j] = (x[j] - centre) * r * norm.gamma[j] + norm.beta[j];
  } else {
    for (std::int64_t j = 0; j < n; ++j) out[j] = (x[j] - centre) * r * norm.gamma[j];
  }
}

/// x = x / (1 + exp(-x)) * gate for whole lanes.
MHA_SIMD void swiglu_row(float* x, const float* gate, std::int64_t width) {
  typename LaneVector<float>::type v, g, e;
  for (std::int64_t j = 0; j < width; j += kLanes) {
    const std::int64_t count = width - j < kLanes ? width - j : kLanes;
    v = g = typename LaneVector<float>::type{};
    __builtin_memcpy(&v, x + j, static_cast<std::size_t>(count) * sizeof(float));
    __builtin_memcpy(&g, gate + j, static_cast<std::size_t>(count) * sizeof(float));
    e = -v;
    exp_lanes(e);
    v = v / (1.0F + e) * g;
    __builtin_memcpy(x + j, &v, static_cast<std::size_t>(count) * sizeof(float));
  }
}

}  // namespace

MHA_SIMD void embed_row(const float* weight, const float* position, float scale, std::int64_t width, float* out) {
  for (std::int64_t j = 0; j < width; ++j) out[j] = weight[j] * scale + position[j];
}

void add_and_norm(const RowNorm& norm, std::int64_t width, std::int64_t rows, ConstRows branch, MutableRows x,
                  MutableRows normed) {
  for (std::int64_t i = 0; i < rows; ++i) {
    norm_row(norm, width, branch.data == nullptr ? nullptr : branch.row(i), x.row(i), normed.row(i));
  }
}

void gelu_rows(MutableRows x, std::int64_t rows, std::int64_t width) {
  for (std::int64_t i = 0; i < rows; ++i) {
    float* row = x.row(i);
    for (std::int64_t j = 0; j < width; ++j) {
      row[j] *= 0.5F * (1.0F + std::erf(row[j] * std::numbers::sqrt2_v<float> * 0.5F));
    }
  }
}

void swiglu_rows(MutableRows x, std::int64_t rows, std::int64_t width) {
  for (std::int64_t i = 0; i < rows; ++i) swiglu_row(x.row(i), x.row(i) + width, width);
}

}  // namespace mha
