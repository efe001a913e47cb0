#pragma once

#include <cstdint>
#include <vector>

#include "config/train_config.h"
#include "data/vocabulary.h"

namespace mha {

using SearchOptions = DecodeConfig;

/// A finished output of a search.
struct Hypothesis {
  std::vector<TokenId> tokens;         // without BOS, with EOS
  double log_prob = 0;                 // sum over the tokens, EOS counted (natural logarithm)
  double score = 0;                    // log_prob over the length penalty
  std::vector<float> token_log_probs;  // one per token
};

/// log_prob / length^lenpen (`avg`) or log_prob / ((5 + length) / 6)^lenpen (`wu`; Wu et al., 2016, eq. 14). `length`
/// counts EOS; it means the same for a hypothesis that is still growing. -inf stays -inf.
double length_normalised(double log_prob, std::int64_t length, const SearchOptions& options);

/// Longest output in tokens, EOS counted: max_len_a * source_length + max_len_b, rounded down, within
/// [1, model_limit]. `source_length` counts EOS.
std::int64_t output_limit(std::int64_t source_length, std::int64_t model_limit, const SearchOptions& options);

}  // namespace mha
