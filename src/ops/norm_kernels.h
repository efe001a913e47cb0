#pragma once

#include <cmath>
#include <cstdint>

#include "ops/dropout_mask.h"
#include "ops/simd.h"

namespace mha {

/// What the kernels below need besides the data; W: float or double. Rows are numbered from the start of the tensors.
template <class W>
struct NormKernel {
  std::int64_t width;
  const W* gamma;
  const W* beta;  // null: none
  double eps;
  bool rms;
  DropoutSpec dropout;
};

/// sum = x + dropout(branch) (branch null: nothing is added and nothing written to sum), normed = normalize(sum), and
/// the row's mean (0 for rms) and reciprocal deviation. `row`: scratch of `width` elements.
template <class T, class W = Wide<T>>
MHA_SIMD void add_norm_rows(const NormKernel<W>& k, std::int64_t begin, std::int64_t end, const T* x, const T* branch,
                            T* sum, T* normed, W* mean, W* rstd, W* __restrict row) {
  const std::int64_t n = k.width;
  const auto scale = static_cast<W>(1 / (1 - k.dropout.p));
  const std::uint32_t threshold = dropout_threshold(k.dropout.p);
  for (std::int64_t i = begin; i < end; ++i) {
    const T* x_row = x + i * n;
    if (branch == nullptr) {
      for (std::int64_t j = 0; j < n; ++j) row[j] = widen(x_row[j]);
    } else {
      const T* branch_row = branch + i * n;
      T* sum_row = sum + i * n;
      if (k.dropout.p == 0) {
        for (std::int64_t j = 0; j < n; ++j)
          row[j] = widen(sum_row[j] = narrow<T>(widen(x_row[j]) + widen(branch_row[j])));
      } else {
        for_dropout_blocks(
            k.dropout.key, k.dropout.first_element(n) + static_cast<std::uint64_t>(i * n), n,
            [&](DropoutBlock block, std::uint32_t first, std::int64_t offset, std::int64_t count) {
              for (std::int64_t j = 0; j < count; ++j) {
                const bool keep = dropout_bits(block, first + static_cast<std::uint32_t>(j)) >= threshold;
                const W added = keep ? widen(branch_row[offset + j]) * scale : W(0);
                row[offset + j] = widen(sum_row[offset + j] = narrow<T>(widen(x_row[offset + j]) + added));
              }
            });
      }
    }
    const W size = static_cast<W>(n);
    const W centre = k.rms ? W(0) : lane_sum(row, n) / size;
    for (std::int64_t j = 0; j < n; ++j) row[j] -= centre;
    const W variance = lane_dot(row, row, n) / size;
    const W r = 1 / std::sqrt(variance + static_cast<W>(k.eps));
    mean[i] = centre;
    rstd[i] = r;
    T* out = normed + i * n;
    if (k.beta != nullptr) {
      for (std::int64_t j = 0; j < n; ++j) out[j] = narrow<T>(row[j] * r * k.gamma[j] + k.beta[j]);
    } else {
      for (std::int64_t j = 0; j < n; ++j) out[j] = narrow<T>(row[j] * r * k.gamma[j]);
    }
  }
}

/// Gradients of the rows [begin, end): d_x (of sum and x alike) and d_branch (null: not wanted; dropout recomputed),
/// and this range's share of d_gamma and d_beta, added to [width] buffers. With s = (sum - mean) rstd and g = d_normed
/// gamma: d_sum += rstd (g - mean(g) - s mean(g s)); rms lacks the second term. d_sum null: zero. `row`: scratch of
/// 2 width elements.
template <class T, class W = Wide<T>>
MHA_SIMD void add_norm_rows_backward(const NormKernel<W>& k, std::int64_t begin, std::int64_t end, const T* sum,
                                     const W* mean, const W* rstd, const T* d_sum, const T* d_normed, T* d_x,
                                     T* d_branch, W* __restrict d_gamma, W* __restrict d_beta, W* __restrict row) {
  const std::int64_t n = k.width;
  const auto scale = static_cast<W>(1 / (1 - k.dropout.p));
  const std::uint32_t threshold = dropout_threshold(k.dropout.p);
  W* __restrict scaled = row + n;
  for (std::int64_t i = begin; i < end; ++i) {
    const T* s_row = sum + i * n;
    const T* g_row = d_normed + i * n;
    T* out = d_x + i * n;
    const W centre = mean[i], r = rstd[i], size = static_cast<W>(n);
    for (std::int64_t j = 0; j < n; ++j) {
      const W g = widen(g_row[j]), s = (widen(s_row[j]) - centre) * r;
      d_gamma[j] += g * s;
      d_beta[j] += g;
      row[j] = s;
      scaled[j] = g * k.gamma[j];
    }
    const W g_mean = k.rms ? W(0) : lane_sum(scaled, n) / size;
    const W gs_mean = lane_dot(scaled, row, n) / size;
    for (std::int64_t j = 0; j < n; ++j) row[j] = r * (scaled[j] - g_mean - row[j] * gs_mean);
    if (d_sum != nullptr) {
      const T* extra = d_sum + i * n;
      for (std::int64_t j = 0; j < n; ++j) row[j] += widen(extra[j]);
    }
    for (std::int64_t j = 0; j < n; ++j) out[j] = narrow<T>(row[j]);
    if (d_branch == nullptr) continue;
    for_dropout_blocks(k.dropout.key, k.dropout.first_element(n) + static_cast<std::uint64_t>(i * n), n,
                       [&](DropoutBlock block, std::uint32_t first, std::int64_t offset, std::int64_t count) {
                         T* branch = d_branch + i * n + offset;
                         for (std::int64_t j = 0; j < count; ++j) {
                           const bool keep = dropout_bits(block, first + static_cast<std::uint32_t>(j)) >= threshold;
                           branch[j] = narrow<T>(keep ? row[offset + j] * scale : W(0));
                         }
                       });
  }
}

}  // namespace mha
