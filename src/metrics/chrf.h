#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/score.h"

// chrF (Popović, 2015) and chrF++ (Popović, 2017) as sacreBLEU 2.6.0 computes them with its defaults: no white space in
// character n-grams, effective order instead of epsilon smoothing. Equal to 1e-9.

namespace mha {

struct ChrfOptions {
  std::size_t char_order = 6;
  std::size_t word_order = 0;  // 2 makes chrF++
  int beta = 2;                // weight of recall against precision
  bool lowercase = false;
};

/// n-grams of one order in one or more sentences.
struct ChrfCounts {
  std::int64_t hyp = 0, ref = 0, match = 0;
};
/// Sufficient statistics: character orders first, then word orders.
using ChrfStats = std::vector<ChrfCounts>;

struct ChrfScore {
  double score = 0;  // 0..100
  ScoreText text;

  std::string signature() const { return text.signature(); }
  std::string format(int width = 2) const { return text.format(width); }
  json to_json(std::optional<int> width = std::nullopt) const { return text.to_json(width); }
};

/// Statistics of each line against its best reference. UserError when the line counts differ or are zero.
std::vector<ChrfStats> chrf_sentence_stats(const std::vector<std::string>& hypotheses, const References& references,
                                           const ChrfOptions& options = {});

/// The score of these sentences together. `reference_count` is for the signature only.
ChrfScore chrf_from_stats(std::span<const ChrfStats> sentences, const ChrfOptions& options = {},
                          std::size_t reference_count = 1);

/// chrf_from_stats of chrf_sentence_stats.
ChrfScore corpus_chrf(const std::vector<std::string>& hypotheses, const References& references,
                      const ChrfOptions& options = {});

}  // namespace mha
