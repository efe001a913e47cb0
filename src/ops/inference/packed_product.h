#pragma once

#include <cstdint>

#include "ops/inference/packed_weights.h"

namespace mha {

/// Rows of activations as the products of one layout take them: as they are for floats, else rounded into words.
class ProductRows {
 public:
  /// x: `rows` rows of `in` floats, `stride` apart; floats are not copied and must outlive their use. The buffers are
  /// used again by the next call.
  void assign(WeightLayout layout, const float* x, std::int64_t stride, std::int64_t rows, std::int64_t in);

  std::int64_t rows() const { return rows_; }
  const std::uint32_t* words(std::int64_t row) const { return words_ + row * stride_; }
  std::int64_t stride() const { return stride_; }
  const float* scales() const { return scales_.data(); }  // int8: value = scale * (integer - 128)

 private:
  std::int64_t rows_ = 0, stride_ = 0;
  const std::uint32_t* words_ = nullptr;
  AlignedVector<std::uint32_t> buffer_;
  AlignedVector<float> scales_;
};

/// A part of y = x W^T + b: some rows, some panels.
struct ProductPart {
  std::int64_t first_row = 0, rows = 0, first_panel = 0, panels = 0;
};

/// y[row - first_row, 32 (panel - first_panel) …] = x W^T + b, negative numbers to zero if `relu`; y's rows are
/// `y_stride` floats apart, both at 64-byte boundaries. Every output is summed over the inner dimension from its first
/// element to its last by the same instructions whatever else is computed, so a row's result does not depend on the
/// other rows, bit for bit.
void multiply(const ProductRows& x, const PackedWeights& weights, const ProductPart& part, float* y,
              std::int64_t y_stride, bool relu = false);
/// All of it.
void multiply(const ProductRows& x, const PackedWeights& weights, float* y, std::int64_t y_stride, bool relu = false);

}  // namespace mha
