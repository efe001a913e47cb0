// How often verdicts are wrong, and how often they find what is there, on thousands of synthetic grids. The rates that
// these tests print stand in docs/significance.md.

#include <gtest/gtest.h>

#include <cstdio>

#include "grid_simulation.h"

namespace mha {
namespace {

constexpr std::size_t kGrids = 1000;
constexpr std::size_t kResamples = 200;

struct Rates {
  double any_false = 0;  // grids with a verdict on a cell without a planted difference
  double found = 0;      // grids whose last cell is called better
  double inverted = 0;   // or worse
};

double share(std::size_t grids) { return static_cast<double>(grids) / kGrids; }

void print(const char* what, const GridModel& model, double rate) {
  std::printf("%-46s %zu cells %2zu seeds: %5.1f %%\n", what, model.cells, model.seeds, 100.0 * rate);
}

Rates verdict_rates(const GridModel& model, std::uint64_t seed, SeedVariance variance = SeedVariance::pooled) {
  GridSimulator simulator(model, seed);
  std::size_t any_false = 0, found = 0, inverted = 0;
  for (std::size_t i = 0; i < kGrids; ++i) {
    const auto grid =
        grid_significance(simulator.grid(), 0, {.resamples = kResamples, .seed = i, .seed_variance = variance});
    const Verdict last = grid.cells.back().comparison->verdict;
    const auto is_called = [](const CellSignificance& c) {
      return c.comparison && c.comparison->verdict != Verdict::cannot_tell;
    };
    const auto nulls = std::span(grid.cells).first(grid.cells.size() - (model.planted == 0.0 ? 0 : 1));
    any_false += std::ranges::any_of(nulls, is_called) ? 1 : 0;
    found += last == Verdict::better ? 1 : 0;
    inverted += last == Verdict::worse ? 1 : 0;
  }
  return {share(any_false), share(found), share(inverted)};
}

double false_rate(const char* what, const GridModel& model, std::uint64_t seed,
                  SeedVariance variance = SeedVariance::pooled) {
  const double rate = verdict_rates(model, seed, variance).any_false;
  print(what, model, rate);
  return rate;
}

TEST(SignificanceSimulation, NullGridsAreCalledInAtMostFivePercent) {
  EXPECT_LE(false_rate("false verdict, both sources", {.seeds = 2}, 1), 0.05);
  EXPECT_LE(false_rate("false verdict, both sources", {.seeds = 3}, 22), 0.05);
  EXPECT_LE(false_rate("false verdict, both sources", {.seeds = 5}, 3), 0.05);
  EXPECT_LE(false_rate("false verdict, both sources, one pair", {.cells = 2, .seeds = 2}, 4), 0.05);
  EXPECT_LE(false_rate("false verdict, seeds dominate", {.seeds = 2, .cell_taste = 0, .training = 0.2}, 5), 0.05);
  EXPECT_LE(false_rate("false verdict, sentences dominate", {.seeds = 2, .cell_taste = 0.6, .training = 0}, 6), 0.05);
}

TEST(SignificanceSimulation, UnsteadyBaselineIsHonestByPair) {
  const GridModel model{.seeds = 3, .cell_taste = 0.1, .training = 0.1, .unsteady = 3};
  EXPECT_GT(false_rate("baseline varies threefold, pooled", model, 14), 0.05) << "why uneven cells are named";
  EXPECT_LE(false_rate("baseline varies threefold, by pair", model, 14, SeedVariance::pair), 0.05);
}

/// Rates at one seed, where nothing differs but the choice of sentences: the two p-values of the paired bootstrap.
TEST(SignificanceSimulation, OneSeedIsHonestAboutSentencesOnly) {
  const GridModel no_training{.cells = 2, .seeds = 1, .cell_taste = 0.4, .training = 0};
  GridSimulator simulator(no_training, 7);
  std::size_t below = 0, below_sacrebleu = 0;
  for (std::size_t i = 0; i < kGrids; ++i) {
    const auto grid = grid_significance(simulator.grid(), 0, {.resamples = kResamples, .seed = i});
    below += grid.cells[1].comparison->p <= 0.05 ? 1 : 0;
    below_sacrebleu += *grid.cells[1].comparison->p_sacrebleu <= 0.05 ? 1 : 0;
  }
  const double two_sided = share(below), sacrebleu = share(below_sacrebleu);
  print("no training variance: two-sided p <= 0.05", no_training, two_sided);
  print("no training variance: sacreBLEU's p <= 0.05", no_training, sacrebleu);
  EXPECT_NEAR(two_sided, 0.05, 0.02);
  EXPECT_GT(sacrebleu, 0.08) << "if sacreBLEU's p-value were two-sided, there would be no need of another";
  EXPECT_GT(false_rate("training variance unseen: false verdict", {.cells = 2, .seeds = 1, .training = 0.15}, 8), 0.1)
      << "why one seed is flagged";
}

/// Resampling seeds and sentences (Owen's pigeonhole bootstrap), as it is often done.
double plain_p(const std::vector<BootstrapScores>& a, const std::vector<BootstrapScores>& b, RandomStream& random) {
  const auto mean_of_some = [&](const std::vector<BootstrapScores>& cell, std::size_t resample) {
    double sum = 0;
    for (std::size_t i = 0; i < cell.size(); ++i) sum += cell[random.below(cell.size())].resampled[resample];
    return sum / static_cast<double>(cell.size());
  };
  BootstrapScores mean_a, mean_b;
  for (const auto& seed : a) mean_a.score += seed.score / static_cast<double>(a.size());
  for (const auto& seed : b) mean_b.score += seed.score / static_cast<double>(b.size());
  for (std::size_t i = 0; i < kResamples; ++i) {
    mean_a.resampled.push_back(mean_of_some(a, i));
    mean_b.resampled.push_back(mean_of_some(b, i));
  }
  return paired_bootstrap(mean_a, mean_b).p;
}

TEST(SignificanceSimulation, ResamplingTwoSeedsWouldNotDo) {
  const GridModel model{.cells = 2, .seeds = 2, .cell_taste = 0, .training = 0.2};
  GridSimulator simulator(model, 9);
  std::size_t called = 0;
  for (std::size_t i = 0; i < kGrids; ++i) {
    const Resamples resamples = Resamples::draw(kResamples, model.sentences, i);
    std::vector<std::vector<BootstrapScores>> cells;
    for (const auto& cell : simulator.grid()) {
      auto& scores = cells.emplace_back();
      for (const auto& seed : cell.seeds) scores.push_back(bootstrap_scores(seed, resamples));
    }
    called += plain_p(cells[0], cells[1], simulator.random()) <= 0.05 ? 1 : 0;
  }
  print("seeds dominate, plain resampling of seeds", model, share(called));
  EXPECT_GT(share(called), 0.1);
}

/// What seeds_needed says if the differences, averaged over many grids, are known well.
SeedsNeeded ask(const GridModel& model, SeedsQuestion question, std::uint64_t seed) {
  GridSimulator pilot(model, seed);
  VarianceParts parts{.sentence_freedom = kResamples / 2.0};
  question.difference = 0;
  question.cells = model.cells;
  for (std::size_t i = 0; i < kGrids; ++i) {
    const auto grid = grid_significance(pilot.grid(), 0, {.resamples = kResamples, .seed = i});
    question.difference += grid.cells.back().comparison->difference / kGrids;
    parts.seeds += std::pow(*grid.seeds_needed.seed_deviation, 2) / kGrids;
    question.sentence_variance += std::pow(*grid.seeds_needed.sentence_deviation, 2) / kGrids;
  }
  const SeedsNeeded needed = seeds_needed(parts, question);
  std::printf("planted %.2f BLEU; deviations: seeds %.2f, sentences %.2f; %d seeds, endless ones %.2f BLEU\n",
              question.difference, *needed.seed_deviation, *needed.sentence_deviation,
              static_cast<int>(needed.seeds.value_or(-1)), *needed.smallest_difference);
  return needed;
}

TEST(SignificanceSimulation, AsManySeedsAsAskedForFindThePlantedDifference) {
  GridModel model{.cells = 2, .seeds = 2, .planted = 0.14};
  const SeedsNeeded needed = ask(model, {}, 10);
  ASSERT_TRUE(needed.seeds);
  ASSERT_GE(*needed.seeds, 4);
  model.seeds = static_cast<std::size_t>(*needed.seeds);
  const Rates enough = verdict_rates(model, 11);
  print("planted, power 80 % asked for: found", model, enough.found);
  EXPECT_GE(enough.found, 0.77);
  EXPECT_LE(enough.found, 0.88) << "a whole number of seeds is a little more than asked for";
  EXPECT_LE(enough.inverted, 0.005);
  model.seeds = 2;
  const Rates two = verdict_rates(model, 12);
  print("the same with two seeds: found", model, two.found);
  EXPECT_LT(two.found, enough.found - 0.2);
}

TEST(SignificanceSimulation, APlantedCellOfAGridIsFoundAfterHolm) {
  GridModel model{.cells = 4, .seeds = 2, .planted = 0.22};
  // Holm's first step is Bonferroni's, and with one true difference there is no other.
  const SeedsNeeded needed = ask(model, {.alpha = 0.05 / 3}, 13);
  ASSERT_TRUE(needed.seeds);
  model.seeds = static_cast<std::size_t>(*needed.seeds);
  const Rates rates = verdict_rates(model, 14);
  print("planted, power 80 % after Holm: found", model, rates.found);
  print("  and a verdict on another cell", model, rates.any_false);
  EXPECT_GE(rates.found, 0.77);
  EXPECT_LE(rates.any_false, 0.05);
}

}  // namespace
}  // namespace mha
