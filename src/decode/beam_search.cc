#include "decode/beam_search.h"

#include <array>
#include <stdexcept>

#include "base/stop.h"
#include "decode/sentence_search.h"

namespace mha {
namespace {

/// What the configuration refuses before; lenpen < 0 would make the search's bound wrong.
void check(const SearchModel& model, const SearchOptions& options) {
  if (options.beam < 1 || options.nbest < 1)
    throw std::invalid_argument("beam_search: beam and nbest must be positive");
  if (!(options.lenpen >= 0)) throw std::invalid_argument("beam_search: lenpen must not be negative");
  if (model.vocab_size() <= SpecialIds::eos) throw std::invalid_argument("beam_search: the vocabulary has no EOS");
}

/// The sentences of a batch that are still searched. Only live hypotheses are rows of the model.
class ActiveBatch {
 public:
  ActiveBatch(SearchModel& model, const PackedTokens& sources, const SearchOptions& options)
      : model_(model), query_{.k = SentenceSearch::tokens_needed(options), .end = SpecialIds::eos, .never = kNever} {
    for (std::int64_t i = 0; i < sources.count(); ++i) {
      searches_.emplace_back(output_limit(sources.length(i), model.max_length(), options), options);
      searches_.back().append_rows(i, 0, rows_);
    }
    if (!done()) model_.start(sources, options.beam);
  }

  bool done() const { return rows_.empty(); }

  void step() {
    model_.step(rows_, query_, table_);
    next_rows_.clear();
    std::int64_t first_row = 0;
    for (std::size_t i = 0; i < searches_.size(); ++i) {
      SentenceSearch& search = searches_[i];
      const std::int64_t read = search.live_rows();
      if (read == 0) continue;
      search.advance(table_, first_row);
      search.append_rows(static_cast<std::int64_t>(i), first_row, next_rows_);
      first_row += read;
    }
    rows_.swap(next_rows_);
  }

  std::vector<std::vector<Hypothesis>> results() const {
    std::vector<std::vector<Hypothesis>> results;
    for (const SentenceSearch& search : searches_) results.push_back(search.best());
    return results;
  }

 private:
  static constexpr std::array<TokenId, 2> kNever = {SpecialIds::pad, SpecialIds::bos};

  SearchModel& model_;
  NextTokenQuery query_;
  NextTokenTable table_;
  std::vector<SentenceSearch> searches_;
  std::vector<DecoderRow> rows_, next_rows_;
};

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(SearchModel& model, const PackedTokens& sources,
                                                 const SearchOptions& options) {
  check(model, options);
  ActiveBatch batch(model, sources, options);
  while (!batch.done()) {
    throw_if_stopped();
    batch.step();
  }
  return batch.results();
}

}  // namespace mha
