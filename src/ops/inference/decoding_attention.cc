#include "ops/inference/decoding_attention.h"

#include <limits>

#include "ops/simd.h"
#include "ops/small_product.h"
#include "ops/vector_exp.h"

namespace mha {
namespace {

using Vector = LaneVector<float>::type;

/// row = softmax(scale * row) over `keys` numbers, zeros behind them up to whole lanes.
MHA_INLINE void scaled_softmax(float* row, std::int64_t keys, float scale) {
  const std::int64_t padded = whole_lanes(keys);
  for (std::int64_t j = keys; j < padded; ++j) row[j] = -std::numeric_limits<float>::infinity();
  Vector lanes = Vector{} - std::numeric_limits<float>::infinity(), v;
  for (std::int64_t j = 0; j < padded; j += kLanes) {
    __builtin_memcpy(&v, row + j, sizeof(v));
    v *= scale;
    lanes = v > lanes ? v : lanes;
    __builtin_memcpy(row + j, &v, sizeof(v));
  }
  float largest = lanes[0];
  for (std::int64_t j = 1; j < kLanes; ++j) largest = lanes[j] > largest ? lanes[j] : largest;
  const float inverse = 1 / exp_and_sum(row, padded, largest);
  for (std::int64_t j = 0; j < padded; j += kLanes) {
    __builtin_memcpy(&v, row + j, sizeof(v));
    v *= inverse;
    __builtin_memcpy(row + j, &v, sizeof(v));
  }
}

MHA_SIMD void memory_heads(const HeadWidths& heads, const float* arranged, std::int64_t keys, ConstRows queries,
                           std::int64_t rows, MutableRows out, float* weights, float* narrow_out) {
  const std::int64_t columns = whole_lanes(keys), wide_v = whole_lanes(heads.d_v);
  const bool direct = wide_v == heads.d_v;
  for (std::int64_t h = 0; h < heads.heads; ++h) {
    const float* values = arranged + heads.d_k * columns;
    small_product<false, float>({queries.data + h * heads.d_k, queries.stride, 1}, arranged, columns, weights, columns,
                                rows, columns, heads.d_k);
    for (std::int64_t i = 0; i < rows; ++i) scaled_softmax(weights + i * columns, keys, heads.scale);
    float* to = direct ? out.data + h * heads.d_v : narrow_out;
    const std::int64_t to_stride = direct ? out.stride : wide_v;
    small_product<false, float>({weights, columns, 1}, values, wide_v, to, to_stride, rows, wide_v, keys);
    for (std::int64_t i = 0; !direct && i < rows; ++i) {
      for (std::int64_t j = 0; j < heads.d_v; ++j) out.row(i)[h * heads.d_v + j] = narrow_out[i * wide_v + j];
    }
    arranged = values + keys * wide_v;
  }
}

/// Sums of eight vectors: to out[0 .. 8). Pairs of vectors are halved and added together, which takes a third of the
/// steps that eight sums of their own take.
MHA_INLINE void fold_eight(Vector (&v)[8], float* out) {
  const auto halve = [](const Vector& a, const Vector& b, Vector& sum) {
    sum = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23) +
          __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  };
  const auto quarter = [](const Vector& a, const Vector& b, Vector& sum) {
    sum = __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27) +
          __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
  };
  const auto eighth = [](const Vector& a, const Vector& b, Vector& sum) {
    sum = __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29) +
          __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  };
  Vector half[4], quarters[2], eighths;
  for (int i = 0; i < 4; ++i) halve(v[2 * i], v[2 * i + 1], half[i]);  // sums 2i | 2i + 1 in eight lanes each
  for (int i = 0; i < 2; ++i) quarter(half[2 * i], half[2 * i + 1], quarters[i]);  // 4i, 4i + 2, 4i + 1, 4i + 3 in four
  eighth(quarters[0], quarters[1], eighths);                                       // 0, 4, 2, 6, 1, 5, 3, 7 in two each
  typedef float Eight __attribute__((vector_size(8 * sizeof(float))));
  const Eight sums = __builtin_shufflevector(eighths, eighths, 0, 8, 4, 12, 2, 10, 6, 14) +
                     __builtin_shufflevector(eighths, eighths, 1, 9, 5, 13, 3, 11, 7, 15);
  __builtin_memcpy(out, &sums, sizeof(sums));
}

/// weights[t] = q . k[t] for whole eights of keys; those behind `keys` repeat the last.
MHA_INLINE void scattered_scores(const float* q, const float* const* key_values, std::int64_t from, std::int64_t keys,
                                 std::int64_t d_k, float* weights) {
  for (std::int64_t t = 0; t < keys; t += 8) {
    Vector sums[8] = {}, a, b;
    const float* key[8];
    for (std::int64_t i = 0; i < 8; ++i) key[i] = key_values[t + i < keys ? t + i : keys - 1] + from;
    std::int64_t j = 0;
    for (; j + kLanes <= d_k; j += kLanes) {
      __builtin_memcpy(&a, q + j, sizeof(a));
      for (int i = 0; i < 8; ++i) {
        __builtin_memcpy(&b, key[i] + j, sizeof(b));
        sums[i] += a * b;
      }
    }
    for (std::int64_t lane = 0; j + lane < d_k; ++lane) {
      for (int i = 0; i < 8; ++i) sums[i][lane] += q[j + lane] * key[i][j + lane];
    }
    fold_eight(sums, weights + t);
  }
}

/// out[0 .. V * 16) = sum of weights[t] * value[t] from column `from` on.
template <int V>
MHA_INLINE void scattered_sum(const float* weights, const float* const* key_values, std::int64_t from,
                              std::int64_t keys, float* out) {
  Vector sums[V] = {}, v;
  for (std::int64_t t = 0; t < keys; ++t) {
    for (int i = 0; i < V; ++i) {
      __builtin_memcpy(&v, key_values[t] + from + i * kLanes, sizeof(v));
      sums[i] += weights[t] * v;
    }
  }
  __builtin_memcpy(out, sums, sizeof(sums));
}

MHA_SIMD void scattered_heads(const HeadWidths& heads, const float* const* key_values, std::int64_t keys,
                              const float* query, float* out, float* weights) {
  for (std::int64_t h = 0; h < heads.heads; ++h) {
    scattered_scores(query + h * heads.d_k, key_values, h * heads.d_k, keys, heads.d_k, weights);
    scaled_softmax(weights, keys, heads.scale);
    const std::int64_t from = heads.heads * heads.d_k + h * heads.d_v;
    float* to = out + h * heads.d_v;
    std::int64_t j = 0;
    for (; j + 4 * kLanes <= heads.d_v; j += 4 * kLanes) scattered_sum<4>(weights, key_values, from + j, keys, to + j);
    for (; j + 2 * kLanes <= heads.d_v; j += 2 * kLanes) scattered_sum<2>(weights, key_values, from + j, keys, to + j);
    if (j + kLanes <= heads.d_v) {
      scattered_sum<1>(weights, key_values, from + j, keys, to + j);
      j += kLanes;
    }
    for (; j < heads.d_v; ++j) {
      float sum = 0;
      for (std::int64_t t = 0; t < keys; ++t) sum += weights[t] * key_values[t][from + j];
      to[j] = sum;
    }
  }
}

}  // namespace

std::int64_t arranged_size(const HeadWidths& heads, std::int64_t keys) {
  return heads.heads * (heads.d_k * whole_lanes(keys) + keys * whole_lanes(heads.d_v));
}

void arrange_memory(const HeadWidths& heads, ConstRows key_values, std::int64_t keys, float* arranged) {
  const std::int64_t columns = whole_lanes(keys), wide_v = whole_lanes(heads.d_v);
  for (std::int64_t h = 0; h < heads.heads; ++h) {
    for (std::int64_t i = 0; i < heads.d_k; ++i, arranged += columns) {
      for (std::int64_t t = 0; t < columns; ++t) {
        arranged[t] = t < keys ? key_values.row(t)[h * heads.d_k + i] : 0;
      }
    }
    for (std::int64_t t = 0; t < keys; ++t, arranged += wide_v) {
      const float* value = key_values.row(t) + heads.heads * heads.d_k + h * heads.d_v;
      for (std::int64_t j = 0; j < wide_v; ++j) arranged[j] = j < heads.d_v ? value[j] : 0;
    }
  }
}

void attend_memory(const HeadWidths& heads, const float* arranged, std::int64_t keys, ConstRows queries,
                   std::int64_t rows, MutableRows out, AlignedVector<float>& scratch) {
  const std::int64_t weights = rows * whole_lanes(keys);
  float* buffer = at_least_size(scratch, weights + rows * whole_lanes(heads.d_v));
  memory_heads(heads, arranged, keys, queries, rows, out, buffer, buffer + weights);
}

void attend_scattered(const HeadWidths& heads, const float* const* key_values, std::int64_t keys, const float* query,
                      float* out, AlignedVector<float>& scratch) {
  scattered_heads(heads, key_values, keys, query, out, at_least_size(scratch, whole_lanes(keys)));
}

}  // namespace mha
