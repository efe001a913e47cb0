#pragma once

// Slow and obvious searches to compare with. They share nothing with the search but length_normalised().

#include <algorithm>
#include <vector>

#include "decode/hypothesis.h"
#include "toy_model.h"

namespace mha {

inline bool may_come_out(std::size_t token) { return token != SpecialIds::pad && token != SpecialIds::bos; }

inline void extend(Hypothesis& hypothesis, TokenId token, float log_prob) {
  hypothesis.tokens.push_back(token);
  hypothesis.token_log_probs.push_back(log_prob);
  hypothesis.log_prob += static_cast<double>(log_prob);
}

/// The most probable token at every step; EOS is forced at the limit.
inline Hypothesis greedy_search(const NextLogProbs& next, const Tokens& source, std::size_t limit) {
  Hypothesis hypothesis;
  while (hypothesis.tokens.empty() || hypothesis.tokens.back() != SpecialIds::eos) {
    const std::vector<float> log_probs = next(source, hypothesis.tokens);
    std::size_t best = SpecialIds::eos;
    for (std::size_t t = 0; t < log_probs.size() && hypothesis.tokens.size() + 1 < limit; ++t) {
      if (may_come_out(t) && (log_probs[t] > log_probs[best] || (log_probs[t] == log_probs[best] && t < best)))
        best = t;
    }
    extend(hypothesis, static_cast<TokenId>(best), log_probs[best]);
  }
  return hypothesis;
}

inline void sort_by_score(std::vector<Hypothesis>& hypotheses) {
  std::stable_sort(hypotheses.begin(), hypotheses.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
}

/// Every possible output (UNK left out) up to `limit` tokens, best first.
inline std::vector<Hypothesis> exhaustive_search(const NextLogProbs& next, const Tokens& source, std::size_t limit,
                                                 const SearchOptions& options) {
  std::vector<Hypothesis> finished, growing(1);
  for (std::size_t length = 1; length <= limit; ++length) {
    std::vector<Hypothesis> longer;
    for (const Hypothesis& hypothesis : growing) {
      const std::vector<float> log_probs = next(source, hypothesis.tokens);
      for (std::size_t t = SpecialIds::eos; t < log_probs.size(); ++t) {
        Hypothesis extended = hypothesis;
        extend(extended, static_cast<TokenId>(t), log_probs[t]);
        (t == SpecialIds::eos ? finished : longer).push_back(extended);
      }
    }
    growing = std::move(longer);
  }
  for (Hypothesis& h : finished)
    h.score = length_normalised(h.log_prob, static_cast<std::int64_t>(h.tokens.size()), options);
  sort_by_score(finished);
  return finished;
}

/// Beam search as sentence_search.h describes it, with a full sort of all candidates and no early stop.
inline std::vector<Hypothesis> reference_search(const NextLogProbs& next, const Tokens& source, std::size_t limit,
                                                const SearchOptions& options) {
  std::vector<Hypothesis> finished, live(1);
  for (std::size_t length = 1; length <= limit && !live.empty(); ++length) {
    std::vector<Hypothesis> candidates;
    for (const Hypothesis& hypothesis : live) {
      const std::vector<float> log_probs = next(source, hypothesis.tokens);
      for (std::size_t t = 0; t < log_probs.size(); ++t) {
        if (!may_come_out(t) || (length == limit && t != SpecialIds::eos)) continue;
        candidates.push_back(hypothesis);
        extend(candidates.back(), static_cast<TokenId>(t), log_probs[t]);
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.log_prob > b.log_prob; });
    const std::size_t slots = static_cast<std::size_t>(options.beam) - finished.size();
    candidates.resize(std::min(candidates.size(), slots));
    live.clear();
    for (Hypothesis& candidate : candidates) {
      candidate.score = length_normalised(candidate.log_prob, static_cast<std::int64_t>(length), options);
      (candidate.tokens.back() == SpecialIds::eos ? finished : live).push_back(candidate);
    }
  }
  sort_by_score(finished);
  finished.resize(std::min(finished.size(), static_cast<std::size_t>(options.nbest)));
  return finished;
}

}  // namespace mha
