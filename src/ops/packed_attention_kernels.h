#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "ops/dropout_mask.h"
#include "ops/packed_attention.h"
#include "ops/simd.h"
#include "ops/small_product.h"
#include "ops/vector_exp.h"

namespace mha {

/// Queries whose scores exist at one time: a multiple of the rows that a product takes at once.
inline constexpr std::int64_t kQueryBlock = 48;

/// One head of one sequence. Pointers are to the first row's columns of this head; *_row: elements from row to row.
template <class T>
struct HeadSlice {
  const T* data;
  std::int64_t row;
  HeadSlice from(std::int64_t first) const { return {data + first * row, row}; }
};

struct HeadShape {
  std::int64_t queries, keys, d_k, d_v;
  std::uint64_t first_row;  // dropout number of query 0's row; query i has first_row + i * heads
  const PackedAttention* options;
};

/// Buffers of one thread, grown as needed.
template <class W>
class HeadScratch {
 public:
  W* take(std::int64_t count) {
    if (used_ == buffers_.size()) buffers_.emplace_back();
    std::vector<W>& buffer = buffers_[used_++];
    const auto size = static_cast<std::size_t>(count);
    if (buffer.size() < size) buffer.resize(size + size / 2);
    return buffer.data();
  }
  void reset() { used_ = 0; }

 private:
  std::vector<std::vector<W>> buffers_;
  std::size_t used_ = 0;
};

/// [rows, width] in W, rows whole_lanes(width) apart, filled up with zeros.
template <class T, class W>
MHA_INLINE void copy_wide(HeadSlice<T> in, std::int64_t rows, std::int64_t width, W factor, W* __restrict out) {
  const std::int64_t padded = whole_lanes(width);
  typename LaneVector<W>::type v;
  for (std::int64_t i = 0; i < rows; ++i) {
    std::int64_t j = 0;
    for (; j + kLanes <= width; j += kLanes) {
      load_lanes(in.data + i * in.row + j, v);
      v *= factor;
      __builtin_memcpy(out + i * padded + j, &v, sizeof(v));
    }
    if (j == padded) continue;
    v = typename LaneVector<W>::type{};
    for (std::int64_t l = 0; j + l < width; ++l) v[l] = widen(in.data[i * in.row + j + l]) * factor;
    __builtin_memcpy(out + i * padded + j, &v, sizeof(v));
  }
}

/// The same transposed: [width, rows], rows whole_lanes(rows) apart.
template <class T, class W>
MHA_INLINE void copy_transposed(HeadSlice<T> in, std::int64_t rows, std::int64_t width, W* __restrict out) {
  const std::int64_t padded = whole_lanes(rows);
  for (std::int64_t j = 0; j < width; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) out[j * padded + i] = widen(in.data[i * in.row + j]);
    for (std::int64_t i = rows; i < padded; ++i) out[j * padded + i] = 0;
  }
}

/// out (T, `out_row` apart) = in (W, whole lanes apart)
template <class T, class W>
MHA_INLINE void copy_narrow(const W* in, std::int64_t rows, std::int64_t width, T* out, std::int64_t out_row) {
  const std::int64_t padded = whole_lanes(width);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < width; ++j) out[i * out_row + j] = narrow<T>(in[i * padded + j]);
  }
}

MHA_INLINE std::int64_t keys_seen(const HeadShape& shape, std::int64_t query) {
  return shape.options->causal ? std::min(query + 1, shape.keys) : shape.keys;
}

/// row *= dropout multipliers of query i's weights, over `count` keys.
template <class W>
MHA_INLINE void drop_row(const HeadShape& shape, std::int64_t query, std::int64_t count, W* row) {
  const AttnDropout& dropout = shape.options->dropout;
  const auto number = shape.first_row + static_cast<std::uint64_t>(query * shape.options->heads);
  const auto scale = static_cast<W>(1 / (1 - dropout.p));
  const std::uint32_t threshold = dropout_threshold(dropout.p);
  if (dropout.whole_rows) {
    const DropoutBlock block = dropout_block(dropout.key, number / kDropoutBlock);
    const bool keep = dropout_bits(block, static_cast<std::uint32_t>(number % kDropoutBlock)) >= threshold;
    for (std::int64_t j = 0; j < count; ++j) row[j] = keep ? row[j] * scale : W(0);
  } else {
    const DropoutBlock block = dropout_block(dropout.key, number);
    const auto keys = static_cast<std::uint32_t>(count);
    for (std::uint32_t j = 0; j < keys; ++j) row[j] = dropout_bits(block, j) >= threshold ? row[j] * scale : W(0);
  }
}

/// out [queries, d_v], `out_row` apart; log_sums: for each query log(sum(exp(scores))), `heads` apart.
template <class T, class W = Wide<T>>
MHA_SIMD void attend(const HeadShape& shape, HeadSlice<T> q, HeadSlice<T> k, HeadSlice<T> v, T* out,
                     std::int64_t out_row, W* log_sums, HeadScratch<W>& scratch) {
  const std::int64_t keys = whole_lanes(shape.keys), wide_k = whole_lanes(shape.d_k), wide_v = whole_lanes(shape.d_v);
  scratch.reset();
  W* k_transposed = scratch.take(shape.d_k * keys);
  W* values = scratch.take(shape.keys * wide_v);
  W* query = scratch.take(kQueryBlock * wide_k);
  W* weights = scratch.take(kQueryBlock * keys);
  W* result = scratch.take(kQueryBlock * wide_v);
  copy_transposed(k, shape.keys, shape.d_k, k_transposed);
  copy_wide(v, shape.keys, shape.d_v, W(1), values);
  for (std::int64_t begin = 0; begin < shape.queries; begin += kQueryBlock) {
    const std::int64_t count = std::min(kQueryBlock, shape.queries - begin);
    const std::int64_t most = keys_seen(shape, begin + count - 1), columns = whole_lanes(most);
    copy_wide(q.from(begin), count, shape.d_k, static_cast<W>(shape.options->scale), query);
    small_product<false, W>({query, wide_k, 1}, k_transposed, keys, weights, keys, count, columns, shape.d_k);
    for (std::int64_t i = 0; i < count; ++i) {
      W* row = weights + i * keys;
      const std::int64_t seen = keys_seen(shape, begin + i), padded = whole_lanes(seen);
      for (std::int64_t j = seen; j < padded; ++j) row[j] = -std::numeric_limits<W>::infinity();
      const W largest = lane_max(row, padded), sum = exp_and_sum(row, padded, largest), inverse = 1 / sum;
      log_sums[(begin + i) * shape.options->heads] = largest + std::log(sum);
      for (std::int64_t j = 0; j < padded; ++j) row[j] *= inverse;
      for (std::int64_t j = padded; j < columns; ++j) row[j] = 0;
      if (shape.options->dropout.p != 0) drop_row(shape, begin + i, padded, row);
    }
    small_product<false, W>({weights, keys, 1}, values, wide_v, result, wide_v, count, wide_v, most);
    copy_narrow(result, count, shape.d_v, out + begin * out_row, out_row);
  }
}

/// Gradients of one head: d_q, d_k, d_v like q, k, v (rows *_row apart), from d_out and the saved log_sums.
template <class T>
struct HeadGradients {
  T *q, *k, *v;
  std::int64_t q_row, k_row, v_row;
};

template <class T, class W = Wide<T>>
MHA_SIMD void attend_backward(const HeadShape& shape, HeadSlice<T> q, HeadSlice<T> k, HeadSlice<T> v,
                              HeadSlice<T> d_out, const W* log_sums, const HeadGradients<T>& gradients,
                              HeadScratch<W>& scratch) {
  const std::int64_t keys = whole_lanes(shape.keys), wide_k = whole_lanes(shape.d_k), wide_v = whole_lanes(shape.d_v);
  const auto scale = static_cast<W>(shape.options->scale);
  const bool drops = shape.options->dropout.p != 0;
  scratch.reset();
  W* k_transposed = scratch.take(shape.d_k * keys);
  W* v_transposed = scratch.take(shape.d_v * keys);
  W* k_wide = scratch.take(shape.keys * wide_k);
  W* query = scratch.take(kQueryBlock * wide_k);
  W* d_result = scratch.take(kQueryBlock * wide_v);
  W* weights = scratch.take(kQueryBlock * keys);
  W* dropped = scratch.take(kQueryBlock * keys);
  W* d_weights = scratch.take(kQueryBlock * keys);
  W* d_query = scratch.take(kQueryBlock * wide_k);
  W* d_k = scratch.take(shape.keys * wide_k);
  W* d_v = scratch.take(shape.keys * wide_v);
  copy_transposed(k, shape.keys, shape.d_k, k_transposed);
  copy_transposed(v, shape.keys, shape.d_v, v_transposed);
  copy_wide(k, shape.keys, shape.d_k, scale, k_wide);
  std::fill_n(d_k, shape.keys * wide_k, W(0));
  std::fill_n(d_v, shape.keys * wide_v, W(0));
  for (std::int64_t begin = 0; begin < shape.queries; begin += kQueryBlock) {
    const std::int64_t count = std::min(kQueryBlock, shape.queries - begin);
    const std::int64_t most = keys_seen(shape, begin + count - 1), columns = whole_lanes(most);
    copy_wide(q.from(begin), count, shape.d_k, scale, query);
    copy_wide(d_out.from(begin), count, shape.d_v, W(1), d_result);
    small_product<false, W>({query, wide_k, 1}, k_transposed, keys, weights, keys, count, columns, shape.d_k);
    small_product<false, W>({d_result, wide_v, 1}, v_transposed, keys, d_weights, keys, count, columns, shape.d_v);
    for (std::int64_t i = 0; i < count; ++i) {
      W *row = weights + i * keys, *gradient = d_weights + i * keys, *kept = dropped + i * keys;
      const std::int64_t seen = keys_seen(shape, begin + i), padded = whole_lanes(seen);
      for (std::int64_t j = seen; j < padded; ++j) row[j] = -std::numeric_limits<W>::infinity();
      exp_and_sum(row, padded, log_sums[(begin + i) * shape.options->heads]);
      for (std::int64_t j = 0; j < padded; ++j) kept[j] = row[j];
      if (drops) {
        drop_row(shape, begin + i, padded, kept);
        drop_row(shape, begin + i, padded, gradient);
      }
      const W inner = lane_dot(row, gradient, padded);
      for (std::int64_t j = 0; j < padded; ++j) row[j] *= gradient[j] - inner;
      for (std::int64_t j = padded; j < columns; ++j) row[j] = kept[j] = 0;
    }
    // From here on `weights` holds the gradient of the scores.
    small_product<true, W>({dropped, 1, keys}, d_result, wide_v, d_v, wide_v, most, wide_v, count);
    small_product<true, W>({weights, 1, keys}, query, wide_k, d_k, wide_k, most, wide_k, count);
    small_product<false, W>({weights, keys, 1}, k_wide, wide_k, d_query, wide_k, count, wide_k, most);
    copy_narrow(d_query, count, shape.d_k, gradients.q + begin * gradients.q_row, gradients.q_row);
  }
  copy_narrow(d_k, shape.keys, shape.d_k, gradients.k, gradients.k_row);
  copy_narrow(d_v, shape.keys, shape.d_v, gradients.v, gradients.v_row);
}

}  // namespace mha
