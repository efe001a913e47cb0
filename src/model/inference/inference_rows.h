#pragma once

#include <cstdint>
#include <span>

#include "model/inference/packed_transformer.h"
#include "ops/inference/packed_product.h"

namespace mha {

/// A buffer of rows that only grows, rows at whole panels of floats.
class RowBuffer {
 public:
  /// Room for `rows` rows of `width` numbers; what was there is lost.
  MutableRows resize(std::int64_t rows, std::int64_t width) {
    view_ = {.data = at_least_size(data_, rows * whole_panels(width)), .stride = whole_panels(width)};
    return view_;
  }
  MutableRows view() const { return view_; }
  ConstRows read() const { return {.data = view_.data, .stride = view_.stride}; }

 private:
  AlignedVector<float> data_;
  MutableRows view_;
};

/// The residual stream of some rows, and the blocks that every layer has; buffers are used again by every call.
class InferenceRows {
 public:
  explicit InferenceRows(const PackedTransformer& model) : model_(model) {}

  /// Embeddings of a side: row i holds tokens[i] at positions[i], and is normalised by `first` in a pre-norm model.
  void embed(const PackedSide& side, std::span<const std::int32_t> tokens, std::span<const std::int64_t> positions,
             const PackedNorm& first);
  /// What the next sub-layer reads, [rows, d_model].
  ConstRows input() const { return model_.pre_norm() ? normed_.read() : sum_.read(); }
  std::int64_t rows() const { return rows_; }

  /// out = input() W^T + b
  void project(const PackedWeights& weights, MutableRows out);
  /// Adds the output projection of heads [rows, heads * d_v] to the stream; `after`: see next_norm of the decoder.
  void add_attention(const PackedAttentionBlock& block, ConstRows heads, const PackedNorm& after);
  void add_feed_forward(const PackedFeedForward& ffn, const PackedNorm& after);

 private:
  void add(ConstRows branch, const PackedNorm& after);

  const PackedTransformer& model_;
  std::int64_t rows_ = 0;
  RowBuffer sum_, normed_, inner_, branch_;
  ProductRows product_;
};

}  // namespace mha
