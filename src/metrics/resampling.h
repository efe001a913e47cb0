#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/bleu.h"

// The bootstrap over test sentences (Efron, 1979; for BLEU: Koehn, 2004), as sacreBLEU 2.6.0 does it.

namespace mha {

/// `values` must not be empty.
double mean_of(std::span<const double> values);
/// n - 1 in the denominator; 0 for fewer than two values.
double variance_of(std::span<const double> values);

/// Resamples of test sentences with replacement. One such object serves every system of a comparison: that makes it
/// paired.
class Resamples {
 public:
  /// `count` resamples of `sentences` sentences each; the same ones for the same arguments on every machine.
  static Resamples draw(std::size_t count, std::size_t sentences, std::uint64_t seed);
  /// Given ones, each with as many indices as there are sentences. UserError for an index out of range or another
  /// length.
  static Resamples from_indices(const std::vector<std::vector<std::size_t>>& rows);

  std::size_t count() const { return sentences_ > 0 ? indices_.size() / sentences_ : 0; }
  std::size_t sentences() const { return sentences_; }
  std::span<const std::uint32_t> row(std::size_t i) const {
    return std::span(indices_).subspan(i * sentences_, sentences_);
  }

 private:
  std::size_t sentences_ = 0;
  std::vector<std::uint32_t> indices_;  // [count, sentences]
};

/// What one system scores on the test set and on every resample of it. Costly (count * sentences sums), so made once a
/// system; comparisons of two are cheap.
struct BootstrapScores {
  double score = 0;
  std::vector<double> resampled;
};

/// UserError if `sentences` are not as many as the resamples are for.
BootstrapScores bootstrap_scores(std::span<const BleuStats> sentences, const Resamples& resamples,
                                 const BleuOptions& options = {});

/// Mean over the resamples and half the width of the interval between their 2.5 % and 97.5 % points: sacreBLEU's
/// "mean ± ci". 0 without resamples.
struct BootstrapInterval {
  double mean = 0, half_width = 0;
};
BootstrapInterval bootstrap_interval(std::span<const double> resampled);

/// Lower and upper end, in BLEU.
struct Interval {
  double low = 0, high = 0;
  bool operator==(const Interval&) const = default;
};

/// Two systems on the same resamples; differences are system - baseline.
struct PairedBootstrap {
  double difference = 0;   // on the test set itself
  double variance = 0;     // of the difference over the resamples
  Interval interval;       // 1 - alpha: percentiles of the resampled differences
  double p = 1;            // two-sided: share of resamples that lie as far from their mean as the difference from 0
  double p_sacrebleu = 1;  // sacreBLEU's, by absolute differences less their mean: of clear differences about p / 2
};
/// Both p-values count the test set itself as one more resample, so none is 0. UserError without resamples or if they
/// are not as many for both.
PairedBootstrap paired_bootstrap(const BootstrapScores& baseline, const BootstrapScores& system, double alpha = 0.05);

}  // namespace mha
