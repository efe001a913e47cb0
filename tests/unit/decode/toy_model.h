#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/random.h"
#include "decode/search_model.h"
#include "decode/top_k.h"

namespace mha {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

using Tokens = std::vector<TokenId>;
/// What may come after `prefix` (without BOS) for a source: log-probabilities of the whole vocabulary.
using NextLogProbs = std::function<std::vector<float>(const Tokens& source, const Tokens& prefix)>;

/// A search model that is a function. It follows the interface to the letter and throws where a search breaks it.
class ToyModel : public SearchModel {
 public:
  ToyModel(std::int64_t vocab_size, std::int64_t max_length, NextLogProbs next)
      : vocab_size_(vocab_size), max_length_(max_length), next_(std::move(next)) {}

  std::int64_t vocab_size() const override { return vocab_size_; }
  std::int64_t max_length() const override { return max_length_; }

  void start(const PackedTokens& sources, std::int64_t beam) override {
    beam_ = beam;
    sources_.clear();
    for (std::int64_t i = 0; i < sources.count(); ++i) {
      const auto begin = sources.tokens.begin() + sources.offsets[static_cast<std::size_t>(i)];
      sources_.emplace_back(begin, begin + sources.length(i));
    }
    rows_.clear();
    largest_batch_ = std::max(largest_batch_, sources_.size());
    ++starts_;
    steps_ = 0;
  }

  void step(std::span<const DecoderRow> rows, const NextTokenQuery& query, NextTokenTable& table) override {
    if (++steps_ > max_length_) throw std::logic_error("step: beyond the longest output");
    const bool first = steps_ == 1;
    if (rows.empty() || (first && rows.size() != sources_.size())) throw std::logic_error("step: number of rows");
    if (!std::ranges::is_sorted(rows, {}, &DecoderRow::sentence)) throw std::logic_error("step: not by sentence");
    std::vector<Grown> next;
    std::vector<float> log_probs;
    for (const DecoderRow& row : rows) {
      if (first != (row.token == SpecialIds::bos)) throw std::logic_error("step: BOS comes first and only then");
      Grown grown{row.sentence, {}};
      if (!first) {
        grown = rows_.at(static_cast<std::size_t>(row.parent));
        if (grown.sentence != row.sentence) throw std::logic_error("step: a row goes on from another sentence");
        grown.prefix.push_back(row.token);
      }
      const std::vector<float> own = next_(sources_.at(static_cast<std::size_t>(row.sentence)), grown.prefix);
      log_probs.insert(log_probs.end(), own.begin(), own.end());
      next.push_back(std::move(grown));
      ++evaluated_rows_;
      if (std::ranges::count(rows, row.sentence, &DecoderRow::sentence) > beam_)
        throw std::logic_error("step: more rows than the beam");
    }
    rows_ = std::move(next);
    fill_table(log_probs, vocab_size_, query, table);
  }

  std::size_t largest_batch() const { return largest_batch_; }
  std::int64_t starts() const { return starts_; }
  std::int64_t steps() const { return steps_; }  // since the last start
  std::int64_t evaluated_rows() const { return evaluated_rows_; }

 private:
  struct Grown {
    std::int64_t sentence;
    Tokens prefix;
  };

  std::int64_t vocab_size_, max_length_, beam_ = 1, starts_ = 0, steps_ = 0, evaluated_rows_ = 0;
  NextLogProbs next_;
  std::vector<Tokens> sources_;
  std::vector<Grown> rows_;  // of the last step
  std::size_t largest_batch_ = 0;
};

inline std::vector<float> log_softmax(std::vector<double> logits) {
  const double highest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double x : logits) sum += std::exp(x - highest);
  std::vector<float> result;
  for (const double x : logits) result.push_back(static_cast<float>(x - highest - std::log(sum)));
  return result;
}

struct RandomModelOptions {
  std::int64_t vocab_size = 7;
  std::uint64_t seed = 1;
  double eos_bias = 0;     // added to the logit of EOS
  double spread = 3;       // logits are uniform in [0, spread)
  bool no_unknown = true;  // UNK is impossible; PAD and BOS are likely, and still must not come out
};

/// Every prefix of every source has a distribution of its own, by hashing.
inline NextLogProbs random_log_probs(const RandomModelOptions& options) {
  return [options](const Tokens& source, const Tokens& prefix) {
    std::uint64_t key = options.seed;
    for (const TokenId token : source) key = derive_key({key, 1, static_cast<std::uint64_t>(token)});
    for (const TokenId token : prefix) key = derive_key({key, 2, static_cast<std::uint64_t>(token)});
    RandomStream random(key);
    std::vector<double> logits;
    for (std::int64_t i = 0; i < options.vocab_size; ++i) logits.push_back(options.spread * random.uniform());
    logits[SpecialIds::eos] += options.eos_bias;
    if (options.no_unknown) logits[SpecialIds::unk] = -1e5;
    return log_softmax(logits);
  };
}

inline PackedTokens pack(const std::vector<Tokens>& sequences) {
  PackedTokens packed;
  for (const Tokens& sequence : sequences) packed.append(sequence);
  return packed;
}

/// Sources of 1 to 9 random words and EOS.
inline std::vector<Tokens> random_sources(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<Tokens> sources;
  for (std::size_t i = 0; i < count; ++i) {
    Tokens source(1 + random.below(9));
    for (TokenId& token : source) token = static_cast<TokenId>(4 + random.below(50));
    source.push_back(SpecialIds::eos);
    sources.push_back(source);
  }
  return sources;
}

}  // namespace mha
