#pragma once

#include <cstdint>
#include <span>

#include "data/batch.h"
#include "model/decoder_row.h"
#include "ops/inference/next_token_table.h"

namespace mha {

/// What a search needs of a model. One object is used by one thread at a time.
class SearchModel {
 public:
  virtual ~SearchModel() = default;
  virtual std::int64_t vocab_size() const = 0;
  /// Longest output in tokens, EOS counted.
  virtual std::int64_t max_length() const = 0;
  /// Encodes a batch and forgets the last one. No sentence will have more than `beam` rows.
  virtual void start(const PackedTokens& sources, std::int64_t beam) = 0;
  /// Feeds each row's token (BOS first) and fills `table` with what the query asks for. Rows are sorted by sentence and
  /// go on from rows of the same sentence in the step before. A sentence that is left out is finished.
  virtual void step(std::span<const DecoderRow> rows, const NextTokenQuery& query, NextTokenTable& table) = 0;
};

}  // namespace mha
