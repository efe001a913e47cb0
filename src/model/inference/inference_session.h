#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/batch_tensors.h"
#include "model/decoder_row.h"
#include "model/inference/inference_rows.h"
#include "ops/inference/next_tokens.h"

namespace mha {

/// Encoder and incremental decoder of one thread over packed weights. Its buffers live as long as it does: once they
/// have met the largest batch nothing is allocated. The result of a row depends on its sentence and its own tokens
/// only, bit for bit.
///
/// Keys and values are written once, by position and row of the step that made them, and never move: of each row only
/// the numbers of its ancestors' rows are kept, so that reordering a beam permutes integers.
class InferenceSession {
 public:
  explicit InferenceSession(std::shared_ptr<const PackedTransformer> model);

  /// Encodes a batch of sources and forgets the last one. Longer than max_positions: std::length_error.
  void start(const TokenRows& sources);
  /// One token more for each row; rows are sorted by sentence. A sentence or row that is left out is finished.
  void step(std::span<const DecoderRow> rows, const NextTokenQuery& query, NextTokenTable& table);

 private:
  struct LayerCache {
    std::vector<RowBuffer> steps;            // by position: [rows of that step, keys and values]
    AlignedVector<float> memory;             // arranged keys and values of the sources
    std::vector<std::int64_t> memory_start;  // by sentence
  };

  void check_length(std::int64_t length) const;
  void encode(const TokenRows& sources);
  void project_memory(const TokenRows& sources);
  void follow(std::span<const DecoderRow> rows);
  void self_attention(const PackedAttentionBlock& block, LayerCache& cache);
  void cross_attention(const PackedAttentionBlock& block, const LayerCache& cache, std::span<const DecoderRow> rows);
  const PackedNorm& after_encoder_layer(std::size_t layer) const;
  const PackedNorm& after_decoder_layer(std::size_t layer) const;

  std::shared_ptr<const PackedTransformer> model_;
  InferenceRows stream_;
  std::vector<LayerCache> caches_;
  std::vector<std::int64_t> source_lengths_, positions_;
  std::vector<std::int32_t> tokens_, permuted_;
  std::int64_t position_ = 0;
  std::vector<std::vector<std::int32_t>> ancestors_;  // by position: for each row the row that wrote there
  std::vector<const float*> key_values_;
  RowBuffer queries_, heads_, projected_;
  AlignedVector<float> arranged_, scratch_;
  ProductRows output_rows_;
  NextTokens next_tokens_;
};

}  // namespace mha
