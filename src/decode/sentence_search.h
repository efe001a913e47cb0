#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/hypothesis.h"
#include "decode/top_k.h"

namespace mha {

/// Beam search of one sentence. It sees nothing but the rows of its own sentence, so its result cannot depend on what
/// else is in the batch.
///
/// At every step there are beam - finished slots. The best candidates over live rows x vocabulary fill them, ordered by
/// log-probability of the whole, then the lower row, then the token's own log-probability, then the lower token id. A
/// candidate that is EOS is finished and uses up its slot; the others are the live rows of the next step, in that
/// order. So beam 1 is greedy whatever the length penalty.
///
/// The search ends when no slot is live; at the limit, where EOS is the only candidate; or as soon as no live
/// hypothesis can still enter the n best (exact: log-probabilities are <= 0, so log_prob over the penalty at the limit
/// bounds every score to come). NaN and infinite log-probabilities count as -inf; a row without a finite one ends with
/// EOS at -inf.
class SentenceSearch {
 public:
  /// `limit`: longest output, EOS counted.
  SentenceSearch(std::int64_t limit, const SearchOptions& options);

  bool finished() const { return live_.empty(); }

  /// One step: log_probs is [beam, vocab_size], row-major; rows behind the live ones are not read.
  void advance(std::span<const float> log_probs, std::int64_t vocab_size);

  /// After a step, for each of the `beam` rows: its last token and the row it goes on from. Rows that hold no
  /// hypothesis repeat row 0. Not for a finished search.
  void write_rows(std::span<TokenId> last_tokens, std::span<std::int64_t> parents) const;

  /// The n best finished hypotheses (fewer only where there are fewer), best first; of equals the one finished earlier.
  std::vector<Hypothesis> best() const;

 private:
  struct Node {  // one token of one hypothesis; hypotheses share beginnings
    std::int64_t previous;
    TokenScore last;
  };
  struct Live {
    std::int64_t node;
    double log_prob;
    std::int64_t parent;  // row it came from
  };
  struct Finished {
    std::int64_t node;
    double log_prob, score;
  };
  struct Candidate {
    double log_prob;
    std::int64_t row;
    TokenScore last;
  };

  void collect_candidates(std::span<const float> log_probs, std::int64_t vocab_size, std::int64_t slots);
  void collect_ends(std::span<const float> log_probs, std::int64_t vocab_size);
  void finish(std::int64_t node, double log_prob);
  bool can_improve() const;
  Hypothesis read_back(const Finished& end) const;

  SearchOptions options_;
  std::int64_t limit_, wanted_;
  std::int64_t length_ = 0;
  std::vector<Node> nodes_;
  std::vector<Live> live_;
  std::vector<Finished> finished_;  // sorted by score
  std::vector<Candidate> candidates_;
  std::vector<TokenScore> row_best_;
};

}  // namespace mha
