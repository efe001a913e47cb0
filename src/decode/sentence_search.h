#pragma once

#include <cstdint>
#include <vector>

#include "decode/hypothesis.h"
#include "model/decoder_row.h"
#include "ops/inference/next_token_table.h"

namespace mha {

/// Beam search of one sentence. It sees nothing but the rows of its own sentence, so its result cannot depend on what
/// else is in the batch.
///
/// At every step there are beam - finished slots (the first step has one row). The best candidates over live rows x
/// vocabulary fill them, ordered by log-probability of the whole, then the lower row, then the token's own
/// log-probability, then the lower token id. A candidate that is EOS is finished and uses up its slot; the others are
/// the live rows of the next step, in that order. So beam 1 is greedy whatever the length penalty.
///
/// EOS is no candidate before min_len (but where the limit comes first, or where a row has nothing else).
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

  /// How many tokens a step has to know of each row.
  static std::int64_t tokens_needed(const SearchOptions& options);

  /// One step: the live rows are those of `table` from first_row on.
  void advance(const NextTokenTable& table, std::int64_t first_row);

  /// Appends the live rows of the next step, the first of which come from rows first_row … of the one before.
  void append_rows(std::int64_t sentence, std::int64_t first_row, std::vector<DecoderRow>& rows) const;
  std::int64_t live_rows() const { return static_cast<std::int64_t>(live_.size()); }

  /// The n best finished hypotheses (fewer only where there are fewer), best first; of equals the one finished earlier.
  std::vector<Hypothesis> best() const;

 private:
  struct Node {  // one token of one hypothesis; hypotheses share beginnings
    std::int64_t previous;
    RankedToken last;
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
    RankedToken last;
  };

  void collect_candidates(const NextTokenTable& table, std::int64_t first_row, std::int64_t slots);
  void collect_ends(const NextTokenTable& table, std::int64_t first_row);
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
};

}  // namespace mha
