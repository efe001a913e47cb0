#include "decode/sentence_search.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "decode/top_k.h"

namespace mha {
namespace {

constexpr std::int64_t kNoNode = -1;

template <class T>
std::int64_t count_of(const std::vector<T>& items) {
  return static_cast<std::int64_t>(items.size());
}

}  // namespace

SentenceSearch::SentenceSearch(std::int64_t limit, const SearchOptions& options)
    : options_(options), limit_(limit), wanted_(std::min(options.nbest, options.beam)), live_{{kNoNode, 0.0, 0}} {}

std::int64_t SentenceSearch::tokens_needed(const SearchOptions& options) {
  return options.beam + (options.min_len > 1 ? 1 : 0);  // one of them may be EOS, before its time
}

void SentenceSearch::advance(const NextTokenTable& table, std::int64_t first_row) {
  ++length_;
  const std::int64_t slots = options_.beam - count_of(finished_);
  candidates_.clear();
  if (length_ == limit_) {
    collect_ends(table, first_row);
  } else {
    collect_candidates(table, first_row, slots);
  }
  const auto kept = candidates_.begin() + std::min(slots, count_of(candidates_));
  std::partial_sort(candidates_.begin(), kept, candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return std::tuple(-a.log_prob, a.row, -a.last.log_prob, a.last.token) <
           std::tuple(-b.log_prob, b.row, -b.last.log_prob, b.last.token);
  });

  std::vector<Live> next;
  for (auto candidate = candidates_.begin(); candidate != kept; ++candidate) {
    const std::int64_t node = count_of(nodes_);
    nodes_.push_back({live_[static_cast<std::size_t>(candidate->row)].node, candidate->last});
    if (candidate->last.token == SpecialIds::eos) {
      finish(node, candidate->log_prob);
    } else {
      next.push_back({node, candidate->log_prob, candidate->row});
    }
  }
  live_ = std::move(next);
  if (!finished() && !can_improve()) live_.clear();
}

void SentenceSearch::collect_candidates(const NextTokenTable& table, std::int64_t first_row, std::int64_t slots) {
  for (std::int64_t row = 0; row < count_of(live_); ++row) {
    const double so_far = live_[static_cast<std::size_t>(row)].log_prob;
    std::int64_t taken = 0;
    const auto take = [&](const RankedToken& last) {
      candidates_.push_back({so_far + static_cast<double>(last.log_prob), row, last});
      ++taken;
    };
    for (const RankedToken& last : table.row(first_row + row)) {
      if (taken == slots) break;
      if (last.token != SpecialIds::eos || length_ >= options_.min_len) take(last);
    }
    if (taken == 0) take({-std::numeric_limits<float>::infinity(), SpecialIds::eos});
  }
}

void SentenceSearch::collect_ends(const NextTokenTable& table, std::int64_t first_row) {
  for (std::int64_t row = 0; row < count_of(live_); ++row) {
    const float log_prob = as_log_prob(table.end[static_cast<std::size_t>(first_row + row)]);
    candidates_.push_back({live_[static_cast<std::size_t>(row)].log_prob + static_cast<double>(log_prob),
                           row,
                           {log_prob, SpecialIds::eos}});
  }
}

void SentenceSearch::finish(std::int64_t node, double log_prob) {
  const Finished end{node, log_prob, length_normalised(log_prob, length_, options_)};
  finished_.insert(std::upper_bound(finished_.begin(), finished_.end(), end,
                                    [](const Finished& a, const Finished& b) { return a.score > b.score; }),
                   end);
}

bool SentenceSearch::can_improve() const {
  if (count_of(finished_) < wanted_) return true;
  // Live rows are sorted by log-probability. An equal score would come behind what finished earlier.
  const double bound = length_normalised(live_.front().log_prob, limit_, options_);
  return bound > finished_[static_cast<std::size_t>(wanted_ - 1)].score;
}

void SentenceSearch::append_rows(std::int64_t sentence, std::int64_t first_row, std::vector<DecoderRow>& rows) const {
  for (const Live& live : live_) {
    const TokenId token =
        live.node == kNoNode ? SpecialIds::bos : nodes_[static_cast<std::size_t>(live.node)].last.token;
    rows.push_back({.sentence = sentence, .parent = first_row + live.parent, .token = token});
  }
}

std::vector<Hypothesis> SentenceSearch::best() const {
  std::vector<Hypothesis> result;
  const auto count = static_cast<std::size_t>(std::min(wanted_, count_of(finished_)));
  for (std::size_t i = 0; i < count; ++i) result.push_back(read_back(finished_[i]));
  return result;
}

Hypothesis SentenceSearch::read_back(const Finished& end) const {
  Hypothesis hypothesis{.tokens = {}, .log_prob = end.log_prob, .score = end.score, .token_log_probs = {}};
  for (std::int64_t node = end.node; node != kNoNode; node = nodes_[static_cast<std::size_t>(node)].previous) {
    hypothesis.tokens.push_back(nodes_[static_cast<std::size_t>(node)].last.token);
    hypothesis.token_log_probs.push_back(nodes_[static_cast<std::size_t>(node)].last.log_prob);
  }
  std::reverse(hypothesis.tokens.begin(), hypothesis.tokens.end());
  std::reverse(hypothesis.token_log_probs.begin(), hypothesis.token_log_probs.end());
  return hypothesis;
}

}  // namespace mha
