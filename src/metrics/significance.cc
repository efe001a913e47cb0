#include "metrics/significance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "metrics/student_t.h"

namespace mha {
namespace {

/// A cell on the test set and on the resamples.
struct CellScores {
  std::vector<double> seeds;  // BLEU of each seed
  BootstrapScores mean;       // over the seeds
  double seed_squares = 0;    // sum of squared deviations of the seeds from their mean
  double shared_squares = 0;  // the same of what resampling adds to each seed, averaged over the resamples
  bool has_data() const { return !seeds.empty(); }
  auto count() const { return static_cast<double>(seeds.size()); }
};

CellScores score_cell(const CellSample& cell, const Resamples& resamples, const BleuOptions& bleu) {
  CellScores out;
  if (cell.seeds.empty()) return out;
  std::vector<BootstrapScores> seeds;
  for (const auto& sentences : cell.seeds) {
    seeds.push_back(bootstrap_scores(sentences, resamples, bleu));
    out.seeds.push_back(seeds.back().score);
  }
  out.mean.score = mean_of(out.seeds);
  out.mean.resampled.assign(resamples.count(), 0.0);
  for (const auto& seed : seeds) {
    for (std::size_t b = 0; b < resamples.count(); ++b) out.mean.resampled[b] += seed.resampled[b] / out.count();
  }
  for (auto& seed : seeds) {
    out.seed_squares += std::pow(seed.score - out.mean.score, 2);
    for (std::size_t b = 0; b < resamples.count(); ++b) seed.resampled[b] -= out.mean.resampled[b];
    out.shared_squares += variance_of(seed.resampled);
  }
  return out;
}

/// Degrees of freedom of a variance that is estimated by resampling: limited by the sentences and by the resamples.
double sentence_freedom(std::size_t sentences, std::size_t resamples) {
  return 1.0 / (1.0 / static_cast<double>(sentences - 1) + 1.0 / static_cast<double>(resamples - 1));
}

/// n / (n - 1): plain resampling of n sentences understates variances by its inverse.
double resampling_correction(std::size_t sentences) {
  return static_cast<double>(sentences) / static_cast<double>(sentences - 1);
}

VarianceParts pool(std::span<const CellScores* const> cells, const Resamples& resamples) {
  VarianceParts parts;
  for (const CellScores* cell : cells) {
    if (!cell->has_data()) continue;
    parts.seed_freedom += cell->count() - 1.0;
    parts.seeds += cell->seed_squares;
    parts.shared += cell->shared_squares * resampling_correction(resamples.sentences());
  }
  if (parts.seed_freedom > 0.0) {
    parts.seeds /= parts.seed_freedom;
    parts.shared /= parts.seed_freedom;
  }
  parts.sentence_freedom = sentence_freedom(resamples.sentences(), resamples.count());
  return parts;
}

/// Each of two cells with its own variance (Welch, 1947), as the one variance and freedom that come to the same. A cell
/// of one seed has none: the other's stands for both.
VarianceParts by_pair(const CellScores& a, const CellScores& b, const Resamples& resamples) {
  VarianceParts parts = pool(std::array{&a, &b}, resamples);
  const double freedom_a = a.count() - 1.0, freedom_b = b.count() - 1.0;
  if (freedom_a < 1.0 || freedom_b < 1.0) return parts;
  const double share = 1.0 / a.count() + 1.0 / b.count();
  const auto of_difference = [&](double squares_a, double squares_b) {
    return (squares_a / freedom_a / a.count() + squares_b / freedom_b / b.count()) / share;
  };
  const double only_a = of_difference(a.seed_squares, 0.0), only_b = of_difference(0.0, b.seed_squares);
  parts.seeds = only_a + only_b;
  parts.shared = of_difference(a.shared_squares, b.shared_squares) * resampling_correction(resamples.sentences());
  const double spread = only_a * only_a / freedom_a + only_b * only_b / freedom_b;
  if (spread > 0.0) parts.seed_freedom = parts.seeds * parts.seeds / spread;
  return parts;
}

/// Each cell's variance between seeds against that of all others together.
std::optional<UnevenCell> most_uneven(const std::vector<CellScores>& cells, const VarianceParts& all) {
  std::optional<UnevenCell> most;
  double tested = 0.0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double freedom = cells[i].count() - 1.0, others_freedom = all.seed_freedom - freedom;
    if (freedom < 1.0 || others_freedom < 1.0) continue;
    const double others = (all.seeds * all.seed_freedom - cells[i].seed_squares) / others_freedom;
    const double own = cells[i].seed_squares / freedom;
    const double p = own == 0.0 ? 1.0 : f_upper_tail(own / std::max(others, 1e-12 * own), freedom, others_freedom);
    tested += 1.0;
    if (!most || p < most->p) most = UnevenCell{.cell = i, .p = p};
  }
  if (most) most->p = std::min(1.0, most->p * tested);
  return most;
}

/// Number of sentences, the same for every seed of every cell; 0 without any data.
std::size_t sentence_count(const std::vector<CellSample>& cells) {
  std::optional<std::size_t> count;
  std::string first;
  for (const auto& cell : cells) {
    for (const auto& sentences : cell.seeds) {
      if (!count) first = cell.name;
      count = count.value_or(sentences.size());
      if (sentences.size() == *count) continue;
      throw UserError("cell " + cell.name + " has " + std::to_string(sentences.size()) + " test sentences, cell " +
                      first + " has " + std::to_string(*count) +
                      "; compare cells that were scored on the same test set");
    }
  }
  return count.value_or(0);
}

void check(const SignificanceOptions& options) {
  const auto is_share = [](double v) { return v > 0.0 && v < 1.0; };
  if (options.resamples < 2) throw UserError("significance: at least 2 resamples are needed");
  if (!is_share(options.alpha)) throw UserError("significance: alpha must lie between 0 and 1");
  if (!is_share(options.power)) throw UserError("significance: power must lie between 0 and 1");
  if (!(options.difference > 0.0)) throw UserError("significance: the difference to settle must be above 0");
}

/// Two-sided p-values of the bootstrap are at least 1 / (resamples + 1); Holm multiplies by up to the size of the
/// family. Four times as many as just allow a verdict, so that it does not hang on one resample.
std::size_t resamples_for(const SignificanceOptions& options, std::size_t family) {
  const double least = 4.0 * static_cast<double>(family) / options.alpha;
  return std::max(options.resamples, static_cast<std::size_t>(std::ceil(least)));
}

CellSignificance describe(const std::string& name, const CellScores& scores) {
  CellSignificance out{.name = name};
  if (!scores.has_data()) return out;
  out.scores = scores.seeds;
  out.sentences = bootstrap_interval(scores.mean.resampled);
  return out;
}

CellComparison compare(const CellScores& baseline, const CellScores& cell, const VarianceParts& parts,
                       const GridSignificance& grid, double alpha) {
  const PairedBootstrap paired = paired_bootstrap(baseline.mean, cell.mean, alpha);
  CellComparison out{.difference = paired.difference,
                     .error = std::sqrt(paired.variance),
                     .interval = paired.interval,
                     .p = paired.p,
                     .p_holm = 1.0,
                     .verdict = Verdict::cannot_tell,
                     .p_sacrebleu = std::nullopt};
  if (baseline.count() == 1.0 && cell.count() == 1.0) out.p_sacrebleu = paired.p_sacrebleu;
  if (grid.method == SignificanceMethod::sentences) return out;
  const auto [error, freedom] =
      difference_error(parts, paired.variance * resampling_correction(grid.sentences), baseline.count(), cell.count());
  const double half = student_t_quantile(1.0 - alpha / 2.0, freedom) * error;
  out.error = error;
  out.interval = {out.difference - half, out.difference + half};
  out.p = out.difference == 0.0 ? 1.0 : student_t_two_sided(out.difference / error, freedom);
  return out;
}

void decide(GridSignificance& grid, double alpha) {
  std::vector<CellComparison*> family;
  std::vector<double> p;
  for (auto& cell : grid.cells) {
    if (!cell.comparison) continue;
    family.push_back(&*cell.comparison);
    p.push_back(cell.comparison->p);
  }
  const std::vector<double> adjusted = holm_adjusted(p);
  for (std::size_t i = 0; i < family.size(); ++i) {
    family[i]->p_holm = adjusted[i];
    if (adjusted[i] > alpha) continue;
    family[i]->verdict = family[i]->difference > 0.0 ? Verdict::better : Verdict::worse;
  }
}

/// Mean over the comparisons of the variance by the choice of sentences alone.
double sentence_variance(const std::vector<CellScores>& cells, std::size_t baseline, const VarianceParts& parts,
                         const GridSignificance& grid) {
  std::vector<double> variances;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!grid.cells[i].comparison) continue;
    const double resampled = paired_bootstrap(cells[baseline].mean, cells[i].mean).variance;
    const double shared = parts.shared * (1.0 / cells[baseline].count() + 1.0 / cells[i].count());
    variances.push_back(resampled * resampling_correction(grid.sentences) - shared);
  }
  return std::max(0.0, mean_of(variances));
}

}  // namespace

std::vector<double> holm_adjusted(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size());
  double most = 0.0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    most = std::max(most, std::min(1.0, static_cast<double>(p.size() - rank) * p[order[rank]]));
    adjusted[order[rank]] = most;
  }
  return adjusted;
}

GridSignificance grid_significance(const std::vector<CellSample>& cells, std::size_t baseline,
                                   const SignificanceOptions& options) {
  check(options);
  if (baseline >= cells.size()) throw UserError("significance: the baseline is none of the cells");
  GridSignificance grid{.sentences = sentence_count(cells)};
  // One sentence says nothing of the choice of sentences.
  const bool comparable = !cells[baseline].seeds.empty() && grid.sentences >= 2;
  const auto filled = static_cast<std::size_t>(
      std::ranges::count_if(cells, [](const CellSample& cell) { return !cell.seeds.empty(); }));
  grid.compared = comparable ? filled - 1 : 0;
  const bool has_seeds = std::ranges::any_of(cells, [](const CellSample& cell) { return cell.seeds.size() > 1; });
  if (has_seeds) grid.method = SignificanceMethod::hierarchical;
  grid.resamples = has_seeds ? options.resamples : resamples_for(options, grid.compared);
  const Resamples resamples = Resamples::draw(grid.resamples, grid.sentences, options.seed);

  std::vector<CellScores> scores;
  for (const auto& cell : cells) {
    scores.push_back(score_cell(cell, resamples, options.bleu));
    grid.cells.push_back(describe(cell.name, scores.back()));
  }
  grid.seeds_needed = {.difference = options.difference, .power = options.power};
  if (grid.compared == 0) return grid;

  std::vector<const CellScores*> all;
  for (const auto& cell : scores) all.push_back(&cell);
  const VarianceParts parts = pool(all, resamples);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i == baseline || !scores[i].has_data()) continue;
    const VarianceParts pair = by_pair(scores[baseline], scores[i], resamples);
    const bool use_pair = options.seed_variance == SeedVariance::pair && pair.seed_freedom > 0.0;
    grid.cells[i].comparison = compare(scores[baseline], scores[i], use_pair ? pair : parts, grid, options.alpha);
  }
  grid.uneven = most_uneven(scores, parts);
  decide(grid, options.alpha);
  const double sentences = sentence_variance(scores, baseline, parts, grid);
  if (has_seeds) {
    grid.seeds_needed = seeds_needed(parts, {.difference = options.difference,
                                             .power = options.power,
                                             .alpha = options.alpha,
                                             .sentence_variance = sentences,
                                             .cells = options.seed_variance == SeedVariance::pair ? 2 : filled});
  } else {
    grid.seeds_needed.sentence_deviation = std::sqrt(sentences);
  }
  return grid;
}

}  // namespace mha
