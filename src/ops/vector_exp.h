#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace mha {

/// e^x, within 2 units in the last place, by range reduction and a polynomial (Cephes, S. Moshier): branch-free, so that
/// loops over it vectorise. Below -87.3 (also -inf) exactly 0; NaN stays NaN; above 88.3 infinite.
inline float vector_exp(float x) {
  constexpr float kLowest = -87.3F, kHighest = 88.3F, kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  float y = x < kLowest ? kLowest : x;
  y = y > kHighest ? kHighest : y;
  const float shifted = y * 1.44269504F + kRound;
  const float n = shifted - kRound;
  const float r = (y - n * 0.693359375F) + n * 2.12194440e-4F;
  float poly = 1.9875691500e-4F;
  poly = poly * r + 1.3981999507e-3F;
  poly = poly * r + 8.3334519073e-3F;
  poly = poly * r + 4.1665795894e-2F;
  poly = poly * r + 1.6666665459e-1F;
  poly = poly * r + 5.0000001201e-1F;
  poly = poly * (r * r) + r + 1.0F;
  const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(shifted) + 127U) << 23U;  // the integer is in the low bits
  const float result = poly * std::bit_cast<float>(exponent);
  const float bounded = x > kHighest ? HUGE_VALF : result;
  return x < kLowest ? 0.0F : bounded;
}

inline double vector_exp(double x) { return std::exp(x); }

}  // namespace mha
