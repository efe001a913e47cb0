#pragma once

#include <c10/util/BFloat16.h>

#include <bit>
#include <cstdint>
#include <type_traits>

// MHA_SIMD before a function: compiled once for each of several x86 instruction sets, the best one chosen when the
// program is loaded. The loops inside are plain C++ that the compiler vectorises; everything they call must be inline.
// Elsewhere the compiler's default instruction set already has vectors (aarch64: Neon). The sanitizers do not get along
// with functions that are chosen at load time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define MHA_SIMD __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MHA_SIMD
#endif

namespace mha {

/// Kernels compute in Wide<T>: double for double, float for float and bfloat16.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

inline float widen(float x) { return x; }
inline double widen(double x) { return x; }
inline float widen(c10::BFloat16 x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x.x) << 16U); }

/// To T, bfloat16 by rounding to nearest even. Branch-free, so that loops vectorise.
template <class T>
inline T narrow(Wide<T> x) {
  if constexpr (std::is_same_v<T, c10::BFloat16>) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
    const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
    return {static_cast<std::uint16_t>(is_nan ? 0x7fc0U : rounded), T::from_bits()};
  } else {
    return x;
  }
}

/// Sums and maxima are kept in this many independent lanes and combined at the end in a fixed order: vectorised, and
/// still the same result whatever the instruction set and wherever a row lies in memory.
inline constexpr int kLanes = 16;

/// term(0) + ... + term(count - 1).
template <class W, class F>
inline W lane_sum(std::int64_t count, F&& term) {
  W lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int j = 0; j < kLanes; ++j) lanes[j] += term(i + j);
  }
  for (int j = 0; i + j < count; ++j) lanes[j] += term(i + j);
  W total = 0;
  for (int j = 0; j < kLanes; ++j) total += lanes[j];
  return total;
}

/// The largest of term(0) ... term(count - 1), at least `lowest`; NaN may be passed over.
template <class W, class F>
inline W lane_max(std::int64_t count, W lowest, F&& term) {
  W lanes[kLanes];
  for (int j = 0; j < kLanes; ++j) lanes[j] = lowest;
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int j = 0; j < kLanes; ++j) {
      const W value = term(i + j);
      lanes[j] = value > lanes[j] ? value : lanes[j];
    }
  }
  for (int j = 0; i + j < count; ++j) {
    const W value = term(i + j);
    lanes[j] = value > lanes[j] ? value : lanes[j];
  }
  W largest = lowest;
  for (int j = 0; j < kLanes; ++j) largest = lanes[j] > largest ? lanes[j] : largest;
  return largest;
}

}  // namespace mha
