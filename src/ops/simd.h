#pragma once

#include <c10/util/BFloat16.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

// MHA_SIMD before a function: compiled once for each of several x86 instruction sets, the best one chosen when the
// program is loaded. The loops inside are plain C++ that the compiler vectorises; everything they call must be inline.
// Elsewhere the compiler's default instruction set already has vectors (aarch64: Neon). The sanitizers do not get along
// with functions that are chosen at load time.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && \
    !defined(__SANITIZE_ADDRESS__)
#define MHA_SIMD __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MHA_SIMD
#endif

// MHA_INLINE: must become part of the MHA_SIMD function that calls it; on its own it would be compiled for the oldest
// processor.
#define MHA_INLINE __attribute__((always_inline)) inline

namespace mha {

/// Kernels compute in Wide<T>: double for double, float for float and bfloat16.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

MHA_INLINE float widen(float x) { return x; }
MHA_INLINE double widen(double x) { return x; }
MHA_INLINE float widen(c10::BFloat16 x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x.x) << 16U); }

/// To T, bfloat16 by rounding to nearest even. Branch-free, so that loops vectorise.
template <class T>
MHA_INLINE T narrow(Wide<T> x) {
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
/// still the same result wherever a row lies in memory (a compiler's own reduction may peel off unaligned elements).
inline constexpr std::int64_t kLanes = 16;

inline constexpr std::int64_t whole_lanes(std::int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

/// A vector of kLanes numbers (an extension that GCC and Clang have for every target). Never pass one by value: how
/// that is done depends on the instruction set.
template <class W>
struct LaneVector {
  typedef W type __attribute__((vector_size(kLanes * sizeof(W))));
};

/// x[0 .. kLanes) widened.
template <class T>
MHA_INLINE void load_lanes(const T* x, typename LaneVector<Wide<T>>::type& v) {
  if constexpr (std::is_same_v<T, c10::BFloat16>) {
    typedef std::uint16_t Halves __attribute__((vector_size(kLanes * 2)));
    typedef std::uint32_t Bits __attribute__((vector_size(kLanes * 4)));
    Halves halves;
    __builtin_memcpy(&halves, x, sizeof(halves));
    const Bits bits = __builtin_convertvector(halves, Bits) << 16U;
    __builtin_memcpy(&v, &bits, sizeof(v));
  } else {
    __builtin_memcpy(&v, x, sizeof(v));
  }
}

/// The sum of the lanes, by halves: a chain of sixteen additions would take longer than a short row's other work.
template <class W>
MHA_INLINE W fold_sum(const typename LaneVector<W>::type& v) {
  typedef W Half __attribute__((vector_size(8 * sizeof(W))));
  typedef W Quarter __attribute__((vector_size(4 * sizeof(W))));
  const Half half = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                    __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  const Quarter quarter =
      __builtin_shufflevector(half, half, 0, 1, 2, 3) + __builtin_shufflevector(half, half, 4, 5, 6, 7);
  return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}

/// Calls f(a vector of numbers) for x[0 .. count), the last vector filled up with `filler`.
template <class W, class F>
MHA_INLINE void for_lanes(const W* x, std::int64_t count, W filler, F&& f) {
  typename LaneVector<W>::type v;
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    __builtin_memcpy(&v, x + i, sizeof(v));
    f(v);
  }
  if (i == count) return;
  for (std::int64_t j = 0; j < kLanes; ++j) v[j] = i + j < count ? x[i + j] : filler;
  f(v);
}

template <class W>
MHA_INLINE W lane_sum(const W* x, std::int64_t count) {
  typename LaneVector<W>::type lanes = {};
  for_lanes(x, count, W(0), [&](const auto& v) { lanes += v; });
  return fold_sum<W>(lanes);
}

/// The largest element, at least the type's lowest finite number; NaN may be passed over.
template <class W>
MHA_INLINE W lane_max(const W* x, std::int64_t count) {
  constexpr W kLowest = std::numeric_limits<W>::lowest();
  typename LaneVector<W>::type lanes = kLowest - typename LaneVector<W>::type{};
  for_lanes(x, count, kLowest, [&](const auto& v) { lanes = v > lanes ? v : lanes; });
  const auto larger = [](W a, W b) { return a > b ? a : b; };
  W pairs[4];
  for (std::int64_t j = 0; j < 4; ++j) {
    pairs[j] = larger(larger(lanes[j], lanes[j + 4]), larger(lanes[j + 8], lanes[j + 12]));
  }
  return larger(larger(pairs[0], pairs[1]), larger(pairs[2], pairs[3]));
}

/// a . b
template <class W>
MHA_INLINE W lane_dot(const W* a, const W* b, std::int64_t count) {
  typename LaneVector<W>::type lanes = {}, u, v;
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    __builtin_memcpy(&u, a + i, sizeof(u));
    __builtin_memcpy(&v, b + i, sizeof(v));
    lanes += u * v;
  }
  for (std::int64_t j = 0; i + j < count; ++j) lanes[j] += a[i + j] * b[i + j];
  return fold_sum<W>(lanes);
}

}  // namespace mha
