#include "decode/top_k.h"

#include <algorithm>

namespace mha {
namespace {

constexpr std::size_t kBlock = 64;  // numbers that are compared together

/// Whether a number of the block exceeds the threshold (NaN does not). No early exit, so that it vectorises.
bool any_above(const float* block, float threshold) {
  unsigned any = 0;
  for (std::size_t i = 0; i < kBlock; ++i) any |= static_cast<unsigned>(block[i] > threshold);
  return any != 0;
}

/// The list of the k best so far, sorted, and the number that a newcomer has to exceed. Tokens come in ascending order,
/// so an equal number never displaces one that is there.
class BestList {
 public:
  BestList(std::size_t k, std::vector<RankedToken>& best) : k_(k), best_(best) { best_.clear(); }
  float threshold() const { return threshold_; }

  void offer(float value, TokenId token) {
    const RankedToken entry{as_log_prob(value), token};
    if (entry.log_prob <= threshold_ || token == SpecialIds::pad || token == SpecialIds::bos) return;
    if (best_.size() == k_) best_.pop_back();
    best_.insert(std::upper_bound(best_.begin(), best_.end(), entry,
                                  [](const RankedToken& a, const RankedToken& b) { return a.log_prob > b.log_prob; }),
                 entry);
    if (best_.size() == k_) threshold_ = best_.back().log_prob;
  }

 private:
  std::size_t k_;
  std::vector<RankedToken>& best_;
  float threshold_ = -std::numeric_limits<float>::infinity();
};

}  // namespace

void best_tokens(std::span<const float> log_probs, std::int64_t k, std::vector<RankedToken>& best) {
  if (k < 1) return best.clear();
  BestList list(static_cast<std::size_t>(k), best);
  std::size_t begin = 0;
  for (; begin + kBlock <= log_probs.size(); begin += kBlock) {
    if (!any_above(&log_probs[begin], list.threshold())) continue;
    for (std::size_t i = begin; i < begin + kBlock; ++i) list.offer(log_probs[i], static_cast<TokenId>(i));
  }
  for (std::size_t i = begin; i < log_probs.size(); ++i) list.offer(log_probs[i], static_cast<TokenId>(i));
}

void fill_table(std::span<const float> log_probs, std::int64_t vocab_size, const NextTokenQuery& query,
                NextTokenTable& table) {
  const auto vocab = static_cast<std::size_t>(vocab_size), rows = log_probs.size() / vocab;
  const auto k = static_cast<std::size_t>(query.k);
  table.k = query.k;
  table.best.resize(rows * k);
  table.counts.resize(rows);
  table.end.resize(rows);
  std::vector<RankedToken> best;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::span<const float> row = log_probs.subspan(i * vocab, vocab);
    best_tokens(row, query.k, best);
    std::ranges::copy(best, table.best.begin() + static_cast<std::ptrdiff_t>(i * k));
    table.counts[i] = static_cast<std::int32_t>(best.size());
    table.end[i] = row[static_cast<std::size_t>(query.end)];
  }
}

}  // namespace mha
