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

void print(const char* what, const GridModel& model, double rate) {
  std::printf("%-52s %zu cells %zu seeds: %5.1f %%\n", what, model.cells, model.seeds, 100.0 * rate);
}

Rates verdict_rates(const GridModel& model, std::uint64_t seed) {
  GridSimulator simulator(model, seed);
  Rates rates;
  for (std::size_t i = 0; i < kGrids; ++i) {
    const auto grid = grid_significance(simulator.grid(), 0, {.resamples = kResamples, .seed = i});
    const Verdict last = grid.cells.back().comparison->verdict;
    const auto is_called = [](const CellSignificance& c) {
      return c.comparison && c.comparison->verdict != Verdict::cannot_tell;
    };
    const auto nulls = std::span(grid.cells).first(grid.cells.size() - (model.planted == 0.0 ? 0 : 1));
    rates.any_false += std::ranges::any_of(nulls, is_called) ? 1.0 / kGrids : 0.0;
    rates.found += last == Verdict::better ? 1.0 / kGrids : 0.0;
    rates.inverted += last == Verdict::worse ? 1.0 / kGrids : 0.0;
  }
  return rates;
}

double false_rate(const char* what, const GridModel& model, std::uint64_t seed) {
  const double rate = verdict_rates(model, seed).any_false;
  print(what, model, rate);
  return rate;
}

TEST(SignificanceSimulation, NullGridsAreCalledInAtMostFivePercent) {
  EXPECT_LE(false_rate("false verdict, both sources", {.seeds = 2}, 1), 0.05);
  EXPECT_LE(false_rate("false verdict, both sources", {.seeds = 3}, 2), 0.05);
  EXPECT_LE(false_rate("false verdict, both sources", {.seeds = 5}, 3), 0.05);
  EXPECT_LE(false_rate("false verdict, both sources, one pair", {.cells = 2, .seeds = 2}, 4), 0.05);
  EXPECT_LE(false_rate("false verdict, seeds dominate", {.seeds = 2, .cell_taste = 0, .training = 0.2}, 5), 0.05);
  EXPECT_LE(false_rate("false verdict, sentences dominate", {.seeds = 2, .cell_taste = 0.6, .training = 0}, 6), 0.05);
}

/// Rates at one seed, where nothing differs but the choice of sentences: the two p-values of the paired bootstrap.
TEST(SignificanceSimulation, OneSeedIsHonestAboutSentencesOnly) {
  const GridModel no_training{.cells = 2, .seeds = 1, .cell_taste = 0.4, .training = 0};
  GridSimulator simulator(no_training, 7);
  double two_sided = 0, sacrebleu = 0;
  for (std::size_t i = 0; i < kGrids; ++i) {
    const auto grid = grid_significance(simulator.grid(), 0, {.resamples = kResamples, .seed = i});
    two_sided += grid.cells[1].comparison->p <= 0.05 ? 1.0 / kGrids : 0.0;
    sacrebleu += *grid.cells[1].comparison->p_sacrebleu <= 0.05 ? 1.0 / kGrids : 0.0;
  }
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
  double called = 0;
  for (std::size_t i = 0; i < kGrids; ++i) {
    const Resamples resamples = Resamples::draw(kResamples, model.sentences, i);
    std::vector<std::vector<BootstrapScores>> cells;
    for (const auto& cell : simulator.grid()) {
      auto& scores = cells.emplace_back();
      for (const auto& seed : cell.seeds) scores.push_back(bootstrap_scores(seed, resamples));
    }
    called += plain_p(cells[0], cells[1], simulator.random()) <= 0.05 ? 1.0 / kGrids : 0.0;
  }
  print("seeds dominate, plain resampling of seeds", model, called);
  EXPECT_GT(called, 0.1);
}

TEST(SignificanceSimulation, AsManySeedsAsAskedForFindThePlantedDifference) {
  GridModel model{.cells = 2, .seeds = 4, .planted = 0.12};
  GridSimulator pilot(model, 10);
  double difference = 0;
  VarianceParts parts;
  SeedsQuestion question;
  for (std::size_t i = 0; i < kGrids; ++i) {
    const auto grid = grid_significance(pilot.grid(), 0, {.resamples = kResamples, .seed = i});
    difference += grid.cells[1].comparison->difference / kGrids;
    parts.seeds += std::pow(*grid.seeds_needed.seed_deviation, 2) / kGrids;
    question.sentence_variance += std::pow(*grid.seeds_needed.sentence_deviation, 2) / kGrids;
  }
  parts.sentence_freedom = static_cast<double>(kResamples) / 2;
  question.difference = difference;
  const SeedsNeeded needed = seeds_needed(parts, question);
  std::printf("planted %.2f BLEU, deviation %.2f by seeds, %.2f by sentences: %d seeds, limit %.2f BLEU\n", difference,
              *needed.seed_deviation, *needed.sentence_deviation, static_cast<int>(needed.seeds.value_or(-1)),
              *needed.smallest_difference);
  ASSERT_TRUE(needed.seeds);
  ASSERT_GE(*needed.seeds, 3) << "one fewer is tried as well";
  model.seeds = static_cast<std::size_t>(*needed.seeds);
  const Rates enough = verdict_rates(model, 11);
  print("planted difference found, power 80 % asked for", model, enough.found);
  EXPECT_NEAR(enough.found, 0.8, 0.06);
  EXPECT_LE(enough.inverted, 0.005);
  model.seeds = 2;
  const Rates two = verdict_rates(model, 12);
  print("planted difference found", model, two.found);
  EXPECT_LT(two.found, enough.found);

  const GridModel four{.cells = 4, .seeds = model.seeds + 1, .planted = 0.2};
  const Rates rates = verdict_rates(four, 13);
  print("larger difference found after Holm", four, rates.found);
  print("  false verdict on another cell", four, rates.any_false);
  EXPECT_GT(rates.found, 0.8);
  EXPECT_LE(rates.any_false, 0.05);
}

}  // namespace
}  // namespace mha
