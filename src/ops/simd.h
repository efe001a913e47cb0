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

/// Sums are kept in this many independent lanes and added up at the end in a fixed order: the same result whatever the
/// instruction set.
inline constexpr int kLanes = 16;

template <class W>
inline W sum_lanes(const W (&lanes)[kLanes]) {
  W total = 0;
  for (int i = 0; i < kLanes; ++i) total += lanes[i];
  return total;
}

}  // namespace mha
