#include "data/batch.h"

#include <algorithm>

#include "data/cut_batches.h"

namespace mha {

std::int64_t PackedTokens::max_length() const {
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < count(); ++i) longest = std::max(longest, length(i));
  return longest;
}

void PackedTokens::append(std::span<const TokenId> sequence) {
  tokens.insert(tokens.end(), sequence.begin(), sequence.end());
  offsets.push_back(static_cast<std::int64_t>(tokens.size()));
}

Batch make_batch(const EncodedCorpus& corpus, std::span<const std::int64_t> pairs) {
  Batch batch;
  batch.pairs.assign(pairs.begin(), pairs.end());
  std::vector<TokenId> shifted;
  for (const std::int64_t pair : pairs) {
    batch.source.append(corpus.source(pair));
    const auto target = corpus.target(pair);
    shifted.assign(1, SpecialIds::bos);
    shifted.insert(shifted.end(), target.begin(), target.end() - 1);
    batch.target_in.append(shifted);
    batch.target_out.insert(batch.target_out.end(), target.begin(), target.end());
  }
  return batch;
}

std::vector<std::vector<std::int64_t>> cut_batches(const std::vector<SizedPair>& pairs, const BatchLimits& limits) {
  std::vector<std::vector<std::int64_t>> batches;
  std::int64_t longest = 0, sum = 0;
  for (const auto& [pair, length] : pairs) {
    const std::int64_t count = batches.empty() ? 0 : static_cast<std::int64_t>(batches.back().size());
    const std::int64_t tokens =
        limits.batching == Batching::bucketed ? (count + 1) * std::max(longest, length) : sum + length;
    const bool full = tokens > limits.max_tokens || (limits.max_sentences > 0 && count == limits.max_sentences);
    if (batches.empty() || full) {
      batches.emplace_back();
      longest = sum = 0;
    }
    batches.back().push_back(pair);
    longest = std::max(longest, length);
    sum += length;
  }
  return batches;
}

std::vector<std::vector<std::int64_t>> sorted_batches(const EncodedCorpus& corpus, std::int64_t max_tokens) {
  struct Key {
    std::size_t source;
    SizedPair sized;
  };
  std::vector<Key> keys;
  for (std::int64_t pair = 0; pair < corpus.size(); ++pair) {
    const std::size_t source = corpus.source(pair).size();
    keys.push_back({source, {pair, static_cast<std::int64_t>(std::max(source, corpus.target(pair).size()))}});
  }
  std::stable_sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) { return a.source > b.source; });
  std::vector<SizedPair> pairs;
  for (const Key& key : keys) pairs.push_back(key.sized);
  return cut_batches(pairs, {.max_tokens = max_tokens});
}

}  // namespace mha
