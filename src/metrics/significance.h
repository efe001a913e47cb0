#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/bleu.h"
#include "metrics/resampling.h"
#include "metrics/seed_variance.h"

// Which cells of a grid differ from its baseline cell: docs/significance.md has the formulas and what was measured.

namespace mha {

/// p-values of one family adjusted after Holm (1979), in the order given; each at most 1.
std::vector<double> holm_adjusted(std::span<const double> p);

enum class Verdict { better, worse, cannot_tell };

enum class SignificanceMethod {
  hierarchical,  // both sources: sentences by the bootstrap, seeds by their variance pooled over the grid
  sentences,     // no cell has two seeds: paired bootstrap over sentences; training variance is unknown
};
constexpr std::array<std::string_view, 2> enum_names(SignificanceMethod) { return {"hierarchical", "sentences"}; }

/// Whose seeds tell the variance between seeds in a comparison.
enum class SeedVariance {
  pooled,  // those of all cells: powerful with few seeds; right if cells vary alike
  pair,    // each of the two cells' own (Welch): right whatever the others do; needs about four seeds or more to find
           // anything
};
constexpr std::array<std::string_view, 2> enum_names(SeedVariance) { return {"pooled", "pair"}; }

struct SignificanceOptions {
  std::size_t resamples = 1000;  // at least; more are drawn if the family is too large for so few (see the docs)
  std::uint64_t seed = 12345;
  double alpha = 0.05;      // of verdicts (after Holm) and of intervals
  double difference = 0.3;  // BLEU, for seeds_needed
  double power = 0.8;
  SeedVariance seed_variance = SeedVariance::pooled;
  BleuOptions bleu = {};  // smoothing and order; the statistics are already of its tokens
};

/// One cell of the grid: statistics of every test sentence, [seed][sentence]. No seeds: a cell without data.
struct CellSample {
  std::string name;
  std::vector<std::vector<BleuStats>> seeds;
};

/// A cell against the baseline cell; differences are cell - baseline, of means over seeds.
struct CellComparison {
  double difference = 0;
  double error = 0;   // standard error of the difference
  Interval interval;  // 1 - alpha, not widened for the family
  double p = 1;       // two-sided, raw
  double p_holm = 1;  // adjusted over all compared cells
  Verdict verdict = Verdict::cannot_tell;
  std::optional<double> p_sacrebleu;  // sacreBLEU's paired bootstrap, if both have one seed
};

struct CellSignificance {
  std::string name;
  std::vector<double> scores = {};                  // BLEU of each seed; empty without data
  std::optional<BootstrapInterval> sentences = {};  // of the mean over seeds, over resamples of the sentences
  // None for the baseline, without data on either side, and for a test set of one sentence.
  std::optional<CellComparison> comparison = {};
};

/// The cell whose seeds differ most for what the other cells' do.
struct UnevenCell {
  std::size_t cell = 0;
  double p = 1;  // that its variance is the others': F test, adjusted for the number of cells (Bonferroni)
};

struct GridSignificance {
  SignificanceMethod method = SignificanceMethod::sentences;
  std::size_t resamples = 0, sentences = 0, compared = 0;  // compared: size of Holm's family
  std::vector<CellSignificance> cells = {};                // as given
  SeedsNeeded seeds_needed = {};
  // None unless two cells have two seeds. With a small p the pooled variance is in doubt: use SeedVariance::pair.
  std::optional<UnevenCell> uneven = {};
};

/// Every cell against cells[baseline]. All seeds of all cells must have been scored on the same sentences: UserError
/// naming the cell where their number differs, or if `baseline` or an option is out of range.
GridSignificance grid_significance(const std::vector<CellSample>& cells, std::size_t baseline,
                                   const SignificanceOptions& options = {});

}  // namespace mha
