#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "ops/simd.h"

namespace mha {

/// e^x for each lane, within 2 units in the last place, by range reduction and a polynomial (Cephes, S. Moshier),
/// without branches. Below -87.3 (also -inf) exactly 0; NaN stays NaN; above 88.3 infinite.
MHA_INLINE void exp_lanes(LaneVector<float>::type& x) {
  using Vector = LaneVector<float>::type;
  typedef std::uint32_t Bits __attribute__((vector_size(sizeof(Vector))));
  const Vector lowest = Vector{} - 87.3F, highest = Vector{} + 88.3F;
  Vector y = x < lowest ? lowest : x;
  y = y > highest ? highest : y;
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer, found in the low bits
  const Vector shifted = y * 1.44269504F + kRound;
  const Vector n = shifted - kRound;
  const Vector r = (y - n * 0.693359375F) + n * 2.12194440e-4F;
  Vector poly = r * 1.9875691500e-4F + 1.3981999507e-3F;
  poly = poly * r + 8.3334519073e-3F;
  poly = poly * r + 4.1665795894e-2F;
  poly = poly * r + 1.6666665459e-1F;
  poly = poly * r + 5.0000001201e-1F;
  poly = poly * (r * r) + (r + 1.0F);
  Bits exponent;
  __builtin_memcpy(&exponent, &shifted, sizeof(exponent));
  exponent = (exponent + 127U) << 23U;
  Vector power;
  __builtin_memcpy(&power, &exponent, sizeof(power));
  const Vector result = x > highest ? Vector{} + std::numeric_limits<float>::infinity() : poly * power;
  x = x < lowest ? Vector{} : result;
}

MHA_INLINE void exp_lanes(LaneVector<double>::type& x) {
  for (std::int64_t j = 0; j < kLanes; ++j) x[j] = std::exp(x[j]);
}

/// row = exp(row - shift), returns the sum; count is a multiple of kLanes.
template <class W>
MHA_INLINE W exp_and_sum(W* row, std::int64_t count, W shift) {
  typename LaneVector<W>::type lanes = {}, v;
  for (std::int64_t i = 0; i < count; i += kLanes) {
    __builtin_memcpy(&v, row + i, sizeof(v));
    v -= shift;
    exp_lanes(v);
    lanes += v;
    __builtin_memcpy(row + i, &v, sizeof(v));
  }
  return fold_sum<W>(lanes);
}

}  // namespace mha
