#include "decode/beam_search.h"

#include <numeric>
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

/// The sentences still searched and the rows of their hypotheses, as the model sees them.
class ActiveBatch {
 public:
  ActiveBatch(SearchModel& model, const PackedTokens& sources, const SearchOptions& options)
      : model_(model),
        beam_(static_cast<std::size_t>(options.beam)),
        vocab_(static_cast<std::size_t>(model.vocab_size())) {
    for (std::int64_t i = 0; i < sources.count(); ++i) {
      searches_.emplace_back(output_limit(sources.length(i), model.max_length(), options), options);
    }
    active_.resize(searches_.size());
    std::iota(active_.begin(), active_.end(), std::size_t{0});
    last_tokens_.assign(active_.size() * beam_, SpecialIds::bos);
    if (!done()) model_.start(sources, options.beam);
  }

  bool done() const { return active_.empty(); }

  void step() {
    const std::span<const float> log_probs = model_.step(last_tokens_);
    for (std::size_t i = 0; i < active_.size(); ++i) {
      searches_[active_[i]].advance(log_probs.subspan(i * beam_ * vocab_, beam_ * vocab_), model_.vocab_size());
    }
    drop_finished();
    if (!done()) rearrange_rows();
  }

  std::vector<std::vector<Hypothesis>> results() const {
    std::vector<std::vector<Hypothesis>> results;
    for (const SentenceSearch& search : searches_) results.push_back(search.best());
    return results;
  }

 private:
  void drop_finished() {
    std::vector<std::int64_t> kept;
    std::vector<std::size_t> still_active;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      if (searches_[active_[i]].finished()) continue;
      kept.push_back(static_cast<std::int64_t>(i));
      still_active.push_back(active_[i]);
    }
    if (!kept.empty() && kept.size() < active_.size()) model_.keep(kept);
    active_ = std::move(still_active);
  }

  void rearrange_rows() {
    last_tokens_.resize(active_.size() * beam_);
    std::vector<std::int64_t> parents(last_tokens_.size());
    bool moved = false;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const auto own = std::span(parents).subspan(i * beam_, beam_);
      searches_[active_[i]].write_rows(std::span(last_tokens_).subspan(i * beam_, beam_), own);
      for (std::size_t row = 0; row < beam_; ++row) {
        own[row] += static_cast<std::int64_t>(i * beam_);
        moved = moved || own[row] != static_cast<std::int64_t>(i * beam_ + row);
      }
    }
    if (moved) model_.reorder(parents);
  }

  SearchModel& model_;
  std::size_t beam_, vocab_;
  std::vector<SentenceSearch> searches_;
  std::vector<std::size_t> active_;  // indices into searches_, ascending
  std::vector<TokenId> last_tokens_;
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
