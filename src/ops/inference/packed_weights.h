#pragma once

#include <cstdint>
#include <span>

#include "ops/inference/aligned_vector.h"

namespace mha {

/// What the weights of a product are rounded to, and how the processor multiplies:
/// fp32: fused multiply-add. bf16: weights and activations to bfloat16, products and sums in fp32 (vdpbf16ps).
/// int8: weights with one scale per output, activations with one per row, both symmetric in [-127, 127], sums in int32
/// (vpdpbusd). On a processor without these instructions the rounded weights are multiplied in fp32.
enum class WeightFormat { fp32, bf16, int8 };

/// How weights lie in memory. A word of 32 bits is what one lane multiplies at a time: a float, two bfloat16 or four
/// int8 that follow one another along the inner dimension.
enum class WeightLayout { floats, bf16_pairs, int8_quads };
std::int64_t values_per_word(WeightLayout layout);
/// The layout that this processor multiplies a format in.
WeightLayout layout_for(WeightFormat format);

/// Outputs that lie together: [inner words, kPanel] words, contiguous.
inline constexpr std::int64_t kPanel = 32;
inline constexpr std::int64_t whole_panels(std::int64_t count) { return (count + kPanel - 1) / kPanel * kPanel; }

/// A matrix W [out, in], row-major, and a bias [out] or null.
struct WeightPart {
  const float* weight = nullptr;
  const float* bias = nullptr;
  std::int64_t out = 0;
};

/// W and b of y = x W^T + b, packed once for products with few rows (packed_product.h). Several parts are stacked:
/// y = [y_1, y_2, …]. Outputs are filled up to whole panels; what is behind `out` in y is `filler`.
class PackedWeights {
 public:
  PackedWeights() = default;
  PackedWeights(std::span<const WeightPart> parts, std::int64_t in, WeightFormat format, float filler = 0);

  std::int64_t in() const { return in_; }
  std::int64_t out() const { return out_; }
  std::int64_t padded_out() const { return whole_panels(out_); }
  std::int64_t panels() const { return padded_out() / kPanel; }
  WeightLayout layout() const { return layout_; }
  std::int64_t inner_words() const { return words_per_row_; }

  // Of panel p; the last two for int8 only.
  const std::uint32_t* words(std::int64_t p) const { return words_.data() + p * words_per_row_ * kPanel; }
  const float* bias(std::int64_t p) const { return bias_.data() + p * kPanel; }
  const float* scales(std::int64_t p) const { return scales_.data() + p * kPanel; }
  /// -128 times the sum of the quantised weights: activations come as x + 128, which are unsigned.
  const std::int32_t* offsets(std::int64_t p) const { return offsets_.data() + p * kPanel; }

 private:
  void pack_row(const float* row, std::int64_t output, WeightFormat format);
  std::uint32_t& word(std::int64_t output, std::int64_t inner);

  std::int64_t in_ = 0, out_ = 0, words_per_row_ = 0;
  WeightLayout layout_ = WeightLayout::floats;
  AlignedVector<std::uint32_t> words_;
  AlignedVector<float> bias_, scales_;
  AlignedVector<std::int32_t> offsets_;
};

}  // namespace mha
