#pragma once

#include <cstdint>

#include "ops/simd.h"

namespace mha {

/// A small matrix inside a larger buffer: element (i, j) is data[i * row + j * column].
template <class W>
struct Strided {
  const W* data;
  std::int64_t row, column;
};

/// Rows i .. i + R of small_product.
template <int R, bool add, class W>
MHA_INLINE void product_rows(const Strided<W>& a, const W* b, std::int64_t b_row, W* c, std::int64_t c_row,
                             std::int64_t columns, std::int64_t inner) {
  using Vector = typename LaneVector<W>::type;
  for (std::int64_t j = 0; j < columns; j += kLanes) {
    Vector sums[R];
    for (int r = 0; r < R; ++r) {
      if constexpr (add) {
        __builtin_memcpy(&sums[r], c + r * c_row + j, sizeof(Vector));
      } else {
        sums[r] = Vector{};
      }
    }
    for (std::int64_t p = 0; p < inner; ++p) {
      Vector right;
      __builtin_memcpy(&right, b + p * b_row + j, sizeof(right));
      for (int r = 0; r < R; ++r) sums[r] += a.data[r * a.row + p * a.column] * right;
    }
    for (int r = 0; r < R; ++r) __builtin_memcpy(c + r * c_row + j, &sums[r], sizeof(Vector));
  }
}

/// c = a b (add: c += a b). a: [rows, inner]; b: [inner, columns], rows contiguous, b_row apart; c alike. columns: a
/// multiple of kLanes. For matrices of a few dozen rows, where a library's call costs more than the product.
template <bool add, class W>
MHA_INLINE void small_product(Strided<W> a, const W* b, std::int64_t b_row, W* c, std::int64_t c_row, std::int64_t rows,
                              std::int64_t columns, std::int64_t inner) {
  std::int64_t i = 0;
  const auto step = [&](std::int64_t count) {
    i += count;
    a.data += count * a.row;
    c += count * c_row;
  };
  while (i + 6 <= rows) {
    product_rows<6, add>(a, b, b_row, c, c_row, columns, inner);
    step(6);
  }
  switch (rows - i) {
    case 5:
      return product_rows<5, add>(a, b, b_row, c, c_row, columns, inner);
    case 4:
      return product_rows<4, add>(a, b, b_row, c, c_row, columns, inner);
    case 3:
      return product_rows<3, add>(a, b, b_row, c, c_row, columns, inner);
    case 2:
      return product_rows<2, add>(a, b, b_row, c, c_row, columns, inner);
    case 1:
      return product_rows<1, add>(a, b, b_row, c, c_row, columns, inner);
    default:
      return;
  }
}

}  // namespace mha
