#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mha {

struct RankedToken {
  float log_prob = 0;
  std::int32_t token = 0;
};

/// What a search asks of each row's distribution over the vocabulary.
struct NextTokenQuery {
  std::int64_t k = 1;                        // how many of the best tokens
  std::int32_t end = 0;                      // a token whose log-probability is wanted in any case
  std::span<const std::int32_t> never = {};  // tokens that are never among the best; they count in the distribution
};

/// For each row the (at most) k likeliest tokens, best first, of equals the lower id, and the log-probability of `end`.
struct NextTokenTable {
  std::int64_t k = 0;
  std::vector<RankedToken> best;     // [rows, k]
  std::vector<std::int32_t> counts;  // how many of each row's k there are
  std::vector<float> end;            // not a number if the row's distribution is none
  std::span<const RankedToken> row(std::int64_t i) const {
    return std::span(best).subspan(static_cast<std::size_t>(i * k),
                                   static_cast<std::size_t>(counts[static_cast<std::size_t>(i)]));
  }
};

}  // namespace mha
