#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "config/data_config.h"
#include "data/corpus.h"

namespace mha {

/// Sequences one after another without padding: sequence i is tokens[offsets[i] .. offsets[i + 1]).
struct PackedTokens {
  std::vector<TokenId> tokens;
  std::vector<std::int64_t> offsets = {0};

  std::int64_t count() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t total() const { return offsets.back(); }
  std::int64_t length(std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    return offsets[at + 1] - offsets[at];
  }
  std::int64_t max_length() const;
  void append(std::span<const TokenId> sequence);
};

/// Pairs of a batch. The decoder reads `target_in` (BOS, then the target without its EOS) and is to say `target_out`
/// (the target with its EOS); both have the same offsets.
struct Batch {
  std::vector<std::int64_t> pairs;  // indices into the corpus
  PackedTokens source, target_in;
  std::vector<TokenId> target_out;
  std::int64_t target_tokens() const { return static_cast<std::int64_t>(target_out.size()); }
};

Batch make_batch(const EncodedCorpus& corpus, std::span<const std::int64_t> pairs);

/// Where a BatchSequence stands: the next batch to come is number `batch` (from 0) of `epoch` (from 1).
struct BatchPosition {
  std::int64_t epoch = 1, batch = 0;
  bool operator==(const BatchPosition&) const = default;
};

/// The endless sequence of training batches. It depends on the corpus, the options, the seed and the epoch only, so a
/// position is enough to go on from. The pairs of an epoch come in a computed permutation, in pools of 65,536 pairs;
/// bucketed: a pool is ordered by length (random among equals), cut into batches, and the batches shuffled. A pair
/// longer than max_tokens is a batch of its own. Memory does not grow with the corpus.
class BatchSequence {
 public:
  struct Options {
    std::int64_t max_tokens = 4096, max_sentences = 0;
    Batching batching = Batching::bucketed;
    std::uint64_t seed = 1;
  };
  BatchSequence(CorpusPtr corpus, const Options& options);

  /// Pairs of the next batch; moves on. After the last batch of an epoch position() shows the next epoch.
  std::vector<std::int64_t> next();
  const BatchPosition& position() const { return position_; }
  /// The next batch will be `position`, which position() gave. Looks at the lengths of the pairs that come before it in
  /// its epoch. Throws std::out_of_range if the epoch has no such batch.
  void seek(const BatchPosition& position);

 private:
  struct Entry;
  void fill_pool();
  std::vector<Entry> read_lengths(std::int64_t end) const;
  void start_epoch(std::int64_t epoch);
  bool epoch_done() const { return ready_.empty() && pool_start_ >= corpus_->size(); }

  CorpusPtr corpus_;
  Options options_;
  BatchPosition position_;
  std::int64_t pool_start_ = 0;  // permuted index of the next pool's first pair
  std::deque<std::vector<std::int64_t>> ready_;
};

/// Batches in which every pair stands once, for validation and decoding: longest sources first, at most `max_tokens`
/// (sentences times the longest of their sides); a longer pair is a batch of its own.
std::vector<std::vector<std::int64_t>> sorted_batches(const EncodedCorpus& corpus, std::int64_t max_tokens);

}  // namespace mha
