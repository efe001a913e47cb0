#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/random.h"
#include "ops/dropout.h"
#include "ops/simd.h"

namespace mha {

/// Elements that share a block key; see dropout_keeps.
inline constexpr std::uint64_t kDropoutBlock = 65536;

/// The random part of a block's masks: 64 bits of its own.
struct DropoutBlock {
  std::uint32_t low, high;
};
MHA_INLINE DropoutBlock dropout_block(DropoutKey key, std::uint64_t block) {
  const std::uint64_t bits = mix64(key + 0x9e3779b97f4a7c15ULL * (block + 1));
  return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32U)};
}

/// 32 random bits for the element with this number inside its block. The multipliers and shifts are those of
/// "lowbias32" (Wellons, 2018); the last shift is left out since only the upper bits matter for a comparison.
MHA_INLINE std::uint32_t dropout_bits(DropoutBlock block, std::uint32_t element) {
  std::uint32_t x = element + block.low;
  x = (x ^ (x >> 16U)) * 0x7feb352dU;
  x = (x ^ (x >> 15U) ^ block.high) * 0x846ca68bU;
  return x;
}

/// An element is kept if its bits are not below this.
MHA_INLINE std::uint32_t dropout_threshold(double p) {
  return static_cast<std::uint32_t>(std::min(std::llround(p * 0x1p32), 0xffffffffLL));
}

/// Calls f(block, first element inside it, offset from begin, count) for the pieces of elements [begin, begin + count)
/// that share a block.
template <class F>
MHA_INLINE void for_dropout_blocks(DropoutKey key, std::uint64_t begin, std::int64_t count, F&& f) {
  for (std::int64_t done = 0; done < count;) {
    const std::uint64_t at = begin + static_cast<std::uint64_t>(done);
    const std::uint64_t inside = at % kDropoutBlock;
    const std::int64_t piece = std::min(count - done, static_cast<std::int64_t>(kDropoutBlock - inside));
    f(dropout_block(key, at / kDropoutBlock), static_cast<std::uint32_t>(inside), done, piece);
    done += piece;
  }
}

namespace reference {
/// What dropout multiplies with, as a tensor: 0 or 1 / (1 - p), of the type and on the device of `like`.
at::Tensor dropout_multipliers(const at::Tensor& like, const DropoutSpec& spec);
at::Tensor dropout(const at::Tensor& x, const DropoutSpec& spec);
at::Tensor attention_dropout(const at::Tensor& weights, const AttnDropout& dropout,
                             std::span<const std::int64_t> q_offsets);
}  // namespace reference

}  // namespace mha
