#include "ops/inference/packed_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ops/inference/packed_product_x86.h"
#include "ops/simd.h"

namespace mha {
namespace {

constexpr float kLargestInt8 = 127;

std::uint16_t bf16_bits(float x) { return narrow<c10::BFloat16>(x).x; }

/// The scale with which a row of weights becomes integers: value = scale * integer.
float row_scale(const float* row, std::int64_t count) {
  float largest = 0;
  for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(row[i]));
  return largest / kLargestInt8;
}

std::int32_t quantized(float value, float scale) {
  return scale == 0 ? 0 : static_cast<std::int32_t>(std::lround(value / scale));
}

float rounded(float value, WeightFormat format, float scale) {
  if (format == WeightFormat::bf16) return widen(c10::BFloat16(bf16_bits(value), c10::BFloat16::from_bits()));
  return format == WeightFormat::int8 ? static_cast<float>(quantized(value, scale)) * scale : value;
}

}  // namespace

std::int64_t values_per_word(WeightLayout layout) {
  return layout == WeightLayout::floats ? 1 : layout == WeightLayout::bf16_pairs ? 2 : 4;
}

WeightLayout layout_for(WeightFormat format) {
  if (format == WeightFormat::bf16 && has_bf16_products()) return WeightLayout::bf16_pairs;
  if (format == WeightFormat::int8 && has_int8_products()) return WeightLayout::int8_quads;
  return WeightLayout::floats;
}

PackedWeights::PackedWeights(std::span<const WeightPart> parts, std::int64_t in, WeightFormat format, float filler)
    : in_(in), layout_(layout_for(format)) {
  for (const WeightPart& part : parts) out_ += part.out;
  const std::int64_t per_word = values_per_word(layout_);
  words_per_row_ = (in + per_word - 1) / per_word;
  const auto outputs = static_cast<std::size_t>(padded_out());
  words_.assign(outputs * static_cast<std::size_t>(words_per_row_), 0);
  bias_.assign(outputs, filler);
  if (layout_ == WeightLayout::int8_quads) {
    scales_.assign(outputs, 0);
    offsets_.assign(outputs, 0);
  }
  std::int64_t output = 0;
  for (const WeightPart& part : parts) {
    for (std::int64_t i = 0; i < part.out; ++i, ++output) {
      pack_row(part.weight + i * in, output, format);
      bias_[static_cast<std::size_t>(output)] = part.bias == nullptr ? 0 : part.bias[i];
    }
  }
}

std::uint32_t& PackedWeights::word(std::int64_t output, std::int64_t inner) {
  return words_[static_cast<std::size_t>((output / kPanel * words_per_row_ + inner) * kPanel + output % kPanel)];
}

void PackedWeights::pack_row(const float* row, std::int64_t output, WeightFormat format) {
  const float scale = format == WeightFormat::int8 ? row_scale(row, in_) : 1;
  switch (layout_) {
    case WeightLayout::floats:
      for (std::int64_t i = 0; i < in_; ++i)
        word(output, i) = std::bit_cast<std::uint32_t>(rounded(row[i], format, scale));
      break;
    case WeightLayout::bf16_pairs:
      for (std::int64_t i = 0; i < in_; ++i) {
        word(output, i / 2) |= static_cast<std::uint32_t>(bf16_bits(row[i])) << (i % 2 * 16);
      }
      break;
    case WeightLayout::int8_quads: {
      std::int32_t sum = 0;
      for (std::int64_t i = 0; i < in_; ++i) {
        const std::int32_t value = quantized(row[i], scale);
        sum += value;
        word(output, i / 4) |= (static_cast<std::uint32_t>(value) & 0xffU) << (i % 4 * 8);
      }
      scales_[static_cast<std::size_t>(output)] = scale;
      offsets_[static_cast<std::size_t>(output)] = -128 * sum;
      break;
    }
  }
}

}  // namespace mha
