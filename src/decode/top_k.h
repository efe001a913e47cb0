#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "data/vocabulary.h"
#include "ops/inference/next_token_table.h"

namespace mha {

/// A model's number as a log-probability: NaN and infinities become -inf, and the rounding error that makes some larger
/// than 0 is cut off (the search's bound needs log-probabilities <= 0).
inline float as_log_prob(float value) {
  if (!std::isfinite(value)) return -std::numeric_limits<float>::infinity();
  return value > 0.0F ? 0.0F : value;
}

/// The (at most) k tokens with the highest log-probability, best first; of equals the lower id. Never PAD, BOS or a
/// token whose log-probability is not finite. One pass: blocks without a number above the k-th best so far are only
/// compared, which vectorises. `best` is overwritten.
void best_tokens(std::span<const float> log_probs, std::int64_t k, std::vector<RankedToken>& best);

/// The table for rows of log-probabilities over the whole vocabulary, [rows, vocab_size], row-major.
void fill_table(std::span<const float> log_probs, std::int64_t vocab_size, const NextTokenQuery& query,
                NextTokenTable& table);

}  // namespace mha
