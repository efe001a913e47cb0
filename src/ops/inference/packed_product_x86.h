#pragma once

#include <cstdint>

namespace mha {

/// Whether this processor (and compiler) has vdpbf16ps, respectively vpdpbusd, on 512 bits.
bool has_bf16_products();
bool has_int8_products();

/// Some rows times one panel of 32 outputs; see packed_product.h.
struct PanelProduct {
  const std::uint32_t* x;  // words of the first row
  std::int64_t x_stride;
  const std::uint32_t* weights;  // [inner, 32] words
  std::int64_t inner;            // words
  const float* bias;             // [32]
  float* y;
  std::int64_t y_stride;
  bool relu;
  const float* row_scales = nullptr;      // int8 only: [rows]
  const float* scales = nullptr;          // int8 only: [32]
  const std::int32_t* offsets = nullptr;  // int8 only: [32]
};

/// Rows that a tile takes at most: with two vectors of outputs each, 24 of the 32 registers hold sums.
inline constexpr std::int64_t kTileRows = 12;

void panel_bf16(const PanelProduct& product, std::int64_t rows);
void panel_int8(const PanelProduct& product, std::int64_t rows);

}  // namespace mha
