#pragma once

#include <cstdint>
#include <span>

#include "data/batch.h"

namespace mha {

/// What a search needs of a model. A batch has `sentences` sources with `beam` rows each; row s * beam + k is
/// hypothesis slot k of sentence s.
class SearchModel {
 public:
  virtual ~SearchModel() = default;
  virtual std::int64_t vocab_size() const = 0;
  /// Longest output in tokens, EOS counted.
  virtual std::int64_t max_length() const = 0;
  /// Encodes a batch and forgets the last one.
  virtual void start(const PackedTokens& sources, std::int64_t beam) = 0;
  /// Feeds each row's last token (BOS first); returns log-probabilities [rows, vocab_size], row-major, valid until the
  /// next call.
  virtual std::span<const float> step(std::span<const TokenId> last_tokens) = 0;
  /// Row i goes on from what row parents[i] was; parents lie in the same sentence.
  virtual void reorder(std::span<const std::int64_t> parents) = 0;
  /// Keeps only these sentences, in this order (indices into the current ones, ascending).
  virtual void keep(std::span<const std::int64_t> sentences) = 0;
};

}  // namespace mha
