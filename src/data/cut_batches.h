#pragma once

#include <cstdint>
#include <vector>

#include "config/data_config.h"

namespace mha {

/// A pair and the number of tokens of its longer side, EOS counted.
struct SizedPair {
  std::int64_t pair, length;
};

struct BatchLimits {
  std::int64_t max_tokens, max_sentences = 0;  // 0: no limit
  Batching batching = Batching::bucketed;
};

/// Cuts the pairs, in their order, into batches as large as the limits allow: bucketed, the number of sentences times
/// the longest stays within max_tokens (as in fairseq); random, the sum of lengths does. A batch has one pair at least.
std::vector<std::vector<std::int64_t>> cut_batches(const std::vector<SizedPair>& pairs, const BatchLimits& limits);

}  // namespace mha
