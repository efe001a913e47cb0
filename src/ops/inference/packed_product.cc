#include "ops/inference/packed_product.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ops/inference/packed_product_x86.h"
#include "ops/simd.h"

namespace mha {
namespace {

using Vector = LaneVector<float>::type;

/// R rows times V vectors of 16 outputs, in fp32.
template <int R, int V>
MHA_INLINE void tile_fp32(const PanelProduct& p, std::int64_t column) {
  Vector sums[R][V];
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) sums[r][v] = Vector{};
  }
  const std::uint32_t* w = p.weights + column;
  for (std::int64_t i = 0; i < p.inner; ++i, w += kPanel) {
    Vector right[V];
    __builtin_memcpy(right, w, sizeof(right));
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      float left;
      __builtin_memcpy(&left, p.x + r * p.x_stride + i, sizeof(left));
      for (int v = 0; v < V; ++v) sums[r][v] += left * right[v];
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) {
      Vector bias;
      __builtin_memcpy(&bias, p.bias + column + v * kLanes, sizeof(bias));
      Vector y = sums[r][v] + bias;
      if (p.relu) y = y < 0.0F ? Vector{} : y;
      __builtin_memcpy(p.y + r * p.y_stride + column + v * kLanes, &y, sizeof(y));
    }
  }
}

MHA_INLINE void move_rows(PanelProduct& p, std::int64_t count) {
  p.x += count * p.x_stride;
  p.y += count * p.y_stride;
}

template <int R>
MHA_INLINE void wide_rest(const PanelProduct& p, std::int64_t rows) {
  if (rows == R) return tile_fp32<R, 2>(p, 0);
  if constexpr (R > 1) wide_rest<R - 1>(p, rows);
}

/// With 32 registers of 16 numbers.
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("arch=x86-64-v4")))
#endif
void panel_fp32_wide(PanelProduct p, std::int64_t rows) {
  for (; rows >= kTileRows; rows -= kTileRows) {
    tile_fp32<kTileRows, 2>(p, 0);
    move_rows(p, kTileRows);
  }
  if (rows > 0) wide_rest<kTileRows - 1>(p, rows);
}

/// With 16 registers of 8 numbers, or of 4.
MHA_SIMD void panel_fp32_narrow(PanelProduct p, std::int64_t rows) {
  for (; rows >= 4; rows -= 4) {
    for (std::int64_t column = 0; column < kPanel; column += kLanes) tile_fp32<4, 1>(p, column);
    move_rows(p, 4);
  }
  for (; rows > 0; --rows) {
    for (std::int64_t column = 0; column < kPanel; column += kLanes) tile_fp32<1, 1>(p, column);
    move_rows(p, 1);
  }
}

bool has_wide_registers() {
#if defined(__x86_64__) && defined(__GNUC__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
#else
  return false;
#endif
}

typedef std::uint16_t __attribute__((may_alias)) HalfWord;

MHA_SIMD void to_bf16(const float* x, std::int64_t in, HalfWord* out) {
  for (std::int64_t i = 0; i < in; ++i) out[i] = narrow<c10::BFloat16>(x[i]).x;
}

/// Bytes of 128 + x / scale, rounded; returns the scale, which is not a number if one of x is not finite.
MHA_SIMD float to_int8(const float* x, std::int64_t in, std::uint8_t* out) {
  Vector lanes = {}, zeros = {};
  std::int64_t i = 0;
  for (; i + kLanes <= in; i += kLanes) {
    Vector v;
    __builtin_memcpy(&v, x + i, sizeof(v));
    zeros += v * 0.0F;
    const Vector negative = -v;
    v = v < negative ? negative : v;
    lanes = v > lanes ? v : lanes;
  }
  float largest = 0, zero = fold_sum<float>(zeros);
  for (std::int64_t j = 0; j < kLanes; ++j) largest = std::max(largest, lanes[j]);
  for (; i < in; ++i) {
    largest = std::max(largest, std::abs(x[i]));
    zero += x[i] * 0.0F;
  }
  const float factor = largest > 0 ? 127.0F / largest : 0.0F;
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer, found in the low bits
  for (i = 0; i < in; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(x[i] * factor + kRound);
    out[i] = static_cast<std::uint8_t>(bits + 128U);
  }
  return largest / 127.0F + zero;
}

}  // namespace

void ProductRows::assign(WeightLayout layout, const float* x, std::int64_t stride, std::int64_t rows, std::int64_t in) {
  rows_ = rows;
  if (layout == WeightLayout::floats) {
    words_ = reinterpret_cast<const std::uint32_t*>(x);
    stride_ = stride;
    return;
  }
  const std::int64_t per_word = values_per_word(layout);
  stride_ = (in + per_word - 1) / per_word;
  std::uint32_t* words = at_least_size(buffer_, rows * stride_);
  words_ = words;
  const bool int8 = layout == WeightLayout::int8_quads;
  if (int8) at_least_size(scales_, rows);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::uint32_t* row = words + r * stride_;
    row[stride_ - 1] =
        0;  // behind an inner dimension that is not whole words, where weights are zero, nothing may be NaN
    if (int8) {
      scales_[static_cast<std::size_t>(r)] = to_int8(x + r * stride, in, reinterpret_cast<std::uint8_t*>(row));
    } else {
      to_bf16(x + r * stride, in, reinterpret_cast<HalfWord*>(row));
    }
  }
}

void multiply(const ProductRows& x, const PackedWeights& weights, const ProductPart& part, float* y,
              std::int64_t y_stride, bool relu) {
  static const bool wide = has_wide_registers();
  const bool int8 = weights.layout() == WeightLayout::int8_quads;
  for (std::int64_t i = 0; i < part.panels; ++i) {
    const std::int64_t panel = part.first_panel + i;
    PanelProduct product{.x = x.words(part.first_row),
                         .x_stride = x.stride(),
                         .weights = weights.words(panel),
                         .inner = weights.inner_words(),
                         .bias = weights.bias(panel),
                         .y = y + i * kPanel,
                         .y_stride = y_stride,
                         .relu = relu};
    if (int8) {
      product.row_scales = x.scales() + part.first_row;
      product.scales = weights.scales(panel);
      product.offsets = weights.offsets(panel);
      panel_int8(product, part.rows);
    } else if (weights.layout() == WeightLayout::bf16_pairs) {
      panel_bf16(product, part.rows);
    } else if (wide) {
      panel_fp32_wide(product, part.rows);
    } else {
      panel_fp32_narrow(product, part.rows);
    }
  }
}

void multiply(const ProductRows& x, const PackedWeights& weights, float* y, std::int64_t y_stride, bool relu) {
  multiply(x, weights, {.first_row = 0, .rows = x.rows(), .first_panel = 0, .panels = weights.panels()}, y, y_stride,
           relu);
}

}  // namespace mha
