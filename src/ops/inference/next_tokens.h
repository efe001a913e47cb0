#pragma once

#include <cstdint>
#include <vector>

#include "ops/inference/next_token_table.h"
#include "ops/inference/packed_product.h"

namespace mha {

/// log softmax of logits = hidden W^T, of which only what the query asks for is kept: logits exist for kStrip tokens
/// and kLogitRows rows at a time, and the sum of their exponentials is carried along with the largest so far (Milakov
/// and Gimelshein, 2018). A row's result does not depend on the others.
class NextTokens {
 public:
  static constexpr std::int64_t kStripPanels = 16, kStrip = kStripPanels * kPanel, kLogitRows = 96;

  /// `weights` must have a filler of -inf.
  void find(const ProductRows& hidden, const PackedWeights& weights, const NextTokenQuery& query,
            NextTokenTable& table);

 private:
  struct Row {
    float largest, sum, threshold, end;
    std::int32_t count;
  };
  void read_strip(const NextTokenQuery& query, std::int64_t first_token, std::int64_t tokens, float* logits, Row& row,
                  RankedToken* best) const;

  AlignedVector<float> logits_;
  std::vector<Row> rows_;
};

}  // namespace mha
