#pragma once

#include <cstdint>

#include "ops/inference/aligned_vector.h"

namespace mha {

/// softmax(scale q K^T) V in each of `heads` heads; a row of queries is [heads * d_k], of keys and values
/// [heads * d_k | heads * d_v], head after head.
struct HeadWidths {
  std::int64_t heads = 1, d_k = 1, d_v = 1;
  float scale = 1;
  std::int64_t q_width() const { return heads * d_k; }
  std::int64_t kv_width() const { return heads * (d_k + d_v); }
  std::int64_t out_width() const { return heads * d_v; }
};

/// Rows of floats, `stride` apart.
struct ConstRows {
  const float* data = nullptr;
  std::int64_t stride = 0;
  const float* row(std::int64_t i) const { return data + i * stride; }
};
struct MutableRows {
  float* data = nullptr;
  std::int64_t stride = 0;
  float* row(std::int64_t i) const { return data + i * stride; }
};

/// Keys and values of one sequence, laid out for queries that come a few at a time: for each head the keys transposed,
/// [d_k, whole lanes of keys], then the values, [keys, whole lanes of d_v].
std::int64_t arranged_size(const HeadWidths& heads, std::int64_t keys);
void arrange_memory(const HeadWidths& heads, ConstRows key_values, std::int64_t keys, float* arranged);

/// Attention over arranged memory for `rows` queries. scratch: grows as needed.
void attend_memory(const HeadWidths& heads, const float* arranged, std::int64_t keys, ConstRows queries,
                   std::int64_t rows, MutableRows out, AlignedVector<float>& scratch);

/// Attention of one query over rows of keys and values that lie anywhere: key_values[t] for t in [0, keys).
void attend_scattered(const HeadWidths& heads, const float* const* key_values, std::int64_t keys, const float* query,
                      float* out, AlignedVector<float>& scratch);

}  // namespace mha
