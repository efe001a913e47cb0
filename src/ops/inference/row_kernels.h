#pragma once

#include <cstdint>

#include "ops/inference/decoding_attention.h"

namespace mha {

/// out = weight * scale + position, `width` numbers.
void embed_row(const float* weight, const float* position, float scale, std::int64_t width, float* out);

/// Layer normalisation or RMSNorm; see ops/norm.h. beta: null for none.
struct RowNorm {
  const float* gamma = nullptr;
  const float* beta = nullptr;
  double eps = 1e-5;
  bool rms = false;
};
/// x += branch (branch.data null: nothing), normed = normalize(x), for `rows` rows of `width`. x and normed may be the
/// same rows.
void add_and_norm(const RowNorm& norm, std::int64_t width, std::int64_t rows, ConstRows branch, MutableRows x,
                  MutableRows normed);

/// x = x / 2 (1 + erf(x / sqrt 2)) (Hendrycks and Gimpel, 2016), the exact form.
void gelu_rows(MutableRows x, std::int64_t rows, std::int64_t width);
/// The first `width` columns become silu(them) times the next `width` columns (Shazeer, 2020).
void swiglu_rows(MutableRows x, std::int64_t rows, std::int64_t width);

}  // namespace mha
