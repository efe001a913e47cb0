#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/score.h"
#include "metrics/tokenizer.h"

// BLEU (Papineni et al., 2002) as sacreBLEU 2.6.0 computes it: equal to 1e-9 for every option offered here.

namespace mha {

/// What a precision without any match counts as (Chen and Cherry, 2014): kExp halves it for each such order,
/// kFloor puts `smooth_value` matches, kAddK adds `smooth_value` to matches and totals above unigrams.
enum class BleuSmoothing { kExp, kFloor, kAddK, kNone };

/// "exp", "floor", "add-k" or "none"; UserError for another name.
BleuSmoothing parse_bleu_smoothing(std::string_view name);
std::string_view bleu_smoothing_name(BleuSmoothing smoothing);
/// All the names, the default first.
std::vector<std::string> bleu_smoothing_names();

inline constexpr std::size_t kMaxBleuOrder = 8;

struct BleuOptions {
  BleuTokenizer tokenize = BleuTokenizer::k13a;
  bool lowercase = false;
  BleuSmoothing smooth_method = BleuSmoothing::kExp;
  std::optional<double> smooth_value = std::nullopt;  // floor: 0.1, add-k: 1 unless set; the other methods take none
  bool effective_order = false;     // stop at the longest n-gram the hypothesis has; for single sentences
  std::size_t max_ngram_order = 4;  // 1..kMaxBleuOrder

  /// UserError for a value out of range or without meaning for the method.
  void check() const;
};

/// Sufficient statistics of one or more sentences; index 0 is for unigrams.
struct BleuStats {
  std::array<std::int64_t, kMaxBleuOrder> match{}, total{};
  std::int64_t hyp_len = 0, ref_len = 0;  // tokens; ref_len of the reference nearest in length
  BleuStats& operator+=(const BleuStats& other);
};

struct BleuScore {
  double score = 0;                // 0..100
  std::vector<double> precisions;  // 0..100, after smoothing, one for each order
  double bp = 0;                   // brevity penalty
  double ratio = 0;                // hyp_len / ref_len, 0 without reference tokens
  std::int64_t hyp_len = 0, ref_len = 0;
  std::vector<std::int64_t> counts, totals;  // matching and all n-grams, before smoothing
  ScoreText text;

  std::string signature() const { return text.signature(); }
  std::string format(int width = 2) const { return text.format(width); }
  json to_json(std::optional<int> width = std::nullopt) const { return text.to_json(width); }
};

/// Statistics of each line. Throws UserError when the line counts differ or are zero, naming both.
std::vector<BleuStats> bleu_sentence_stats(const std::vector<std::string>& hypotheses, const References& references,
                                           const BleuOptions& options = {});

/// The score of these sentences together. `reference_count` is for the signature only.
BleuScore bleu_from_stats(std::span<const BleuStats> sentences, const BleuOptions& options = {},
                          std::size_t reference_count = 1);

/// The number alone, of statistics already summed, for resampling: 0..100. `options` as check() accepts them.
double bleu_of_sum(const BleuStats& sum, const BleuOptions& options);

/// bleu_from_stats of bleu_sentence_stats.
BleuScore corpus_bleu(const std::vector<std::string>& hypotheses, const References& references,
                      const BleuOptions& options = {});

}  // namespace mha
