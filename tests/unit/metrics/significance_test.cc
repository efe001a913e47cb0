#include "metrics/significance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "grid_simulation.h"
#include "metrics/student_t.h"

namespace mha {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Holm, AdjustsByRank) {
  EXPECT_THAT(
      holm_adjusted(std::vector{0.01, 0.04, 0.03, 0.005}),
      ElementsAre(testing::DoubleEq(0.03), testing::DoubleEq(0.06), testing::DoubleEq(0.06), testing::DoubleEq(0.02)));
  EXPECT_THAT(holm_adjusted(std::vector{0.9, 0.9}), ElementsAre(1.0, 1.0));
  EXPECT_THAT(holm_adjusted(std::vector{0.02}), ElementsAre(0.02));
  EXPECT_TRUE(holm_adjusted({}).empty());
}

std::vector<CellSample> simulated(const GridModel& model) { return GridSimulator(model, 5).grid(); }

TEST(GridSignificance, NamesAClearDifference) {
  const auto cells = simulated({.cells = 3, .seeds = 3, .planted = -0.5});
  const auto grid = grid_significance(cells, 0);
  EXPECT_EQ(grid.method, SignificanceMethod::hierarchical);
  EXPECT_EQ(grid.compared, 2U);
  EXPECT_EQ(grid.resamples, 1000U);
  ASSERT_EQ(grid.cells.size(), 3U);
  EXPECT_FALSE(grid.cells[0].comparison) << "the baseline";
  EXPECT_EQ(grid.cells[1].comparison->verdict, Verdict::cannot_tell);
  const CellComparison& worse = *grid.cells[2].comparison;
  EXPECT_EQ(worse.verdict, Verdict::worse);
  EXPECT_LT(worse.interval.high, 0.0);
  EXPECT_LE(worse.p_holm, 0.05);
  EXPECT_NEAR(worse.p_holm, 2.0 * worse.p, 1e-12);
  EXPECT_FALSE(worse.p_sacrebleu) << "three seeds have no one pair of outputs";
  EXPECT_NEAR(worse.difference, mean_of(grid.cells[2].scores) - mean_of(grid.cells[0].scores), 1e-12);
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_NEAR(grid.cells[1].scores[s], bleu_from_stats(cells[1].seeds[s]).score, 1e-12);
  }
  EXPECT_EQ(grid_significance(cells, 2).cells[0].comparison->verdict, Verdict::better) << "another baseline";
}

TEST(GridSignificance, IsTheSameEveryTime) {
  const auto cells = simulated({.cells = 3, .seeds = 2});
  const auto p = [&](std::uint64_t seed) { return grid_significance(cells, 0, {.seed = seed}).cells[1].comparison->p; };
  EXPECT_EQ(p(1), p(1));
  EXPECT_NE(p(1), p(2));
  EXPECT_NEAR(p(1), p(2), 0.1);
}

TEST(GridSignificance, OneSeedGoesBySentences) {
  const auto cells = simulated({.cells = 2, .seeds = 1});
  const auto grid = grid_significance(cells, 0);
  EXPECT_EQ(grid.method, SignificanceMethod::sentences);
  const Resamples resamples = Resamples::draw(1000, 200, 12345);
  const PairedBootstrap paired =
      paired_bootstrap(bootstrap_scores(cells[0].seeds[0], resamples), bootstrap_scores(cells[1].seeds[0], resamples));
  const CellComparison& comparison = *grid.cells[1].comparison;
  EXPECT_EQ(comparison.p, paired.p);
  EXPECT_EQ(comparison.p_sacrebleu, paired.p_sacrebleu);
  EXPECT_EQ(comparison.interval, paired.interval);
  EXPECT_FALSE(grid.seeds_needed.seeds);
  EXPECT_FALSE(grid.seeds_needed.seed_deviation);
  EXPECT_TRUE(grid.seeds_needed.sentence_deviation);
  EXPECT_EQ(grid.cells[1].scores.size(), 1U);
}

TEST(GridSignificance, ALargeFamilyGetsMoreResamples) {
  const auto grid = grid_significance(simulated({.cells = 40, .seeds = 1, .sentences = 30}), 0);
  EXPECT_EQ(grid.compared, 39U);
  EXPECT_EQ(grid.resamples, 3120U);
  EXPECT_LT(39.0 / static_cast<double>(grid.resamples + 1), 0.05) << "or no verdict could ever be given";
}

TEST(GridSignificance, CellsOfOneSeedBorrowTheOthersVariance) {
  auto cells = simulated({.cells = 3, .seeds = 3, .training = 0.3});
  cells[1].seeds.resize(1);
  const auto grid = grid_significance(cells, 0);
  EXPECT_EQ(grid.method, SignificanceMethod::hierarchical);
  EXPECT_GT(grid.cells[1].comparison->error, grid.cells[2].comparison->error) << "one seed instead of three";
  EXPECT_EQ(grid.cells[1].scores.size(), 1U);
}

/// Every sentence of one seed says the same, so that seeds differ by just this.
std::vector<BleuStats> uniform(std::int64_t right) {
  BleuStats sentence;
  sentence.hyp_len = sentence.ref_len = 100;
  for (std::size_t n = 0; n < 4; ++n) {
    sentence.total[n] = 100 - static_cast<std::int64_t>(n);
    sentence.match[n] = right;
  }
  return std::vector<BleuStats>(20, sentence);
}

TEST(GridSignificance, AnUnsteadyCellIsNamedAndMayStandForItself) {
  const std::vector<CellSample> cells = {{"a", {uniform(50), uniform(51), uniform(52)}},
                                         {"b", {uniform(53), uniform(54), uniform(55)}},
                                         {"c", {uniform(20), uniform(55), uniform(90)}}};
  const auto pooled = grid_significance(cells, 0);
  ASSERT_TRUE(pooled.uneven);
  EXPECT_EQ(pooled.uneven->cell, 2U);
  EXPECT_LT(pooled.uneven->p, 0.05);
  EXPECT_EQ(pooled.cells[1].comparison->verdict, Verdict::cannot_tell) << "all that noise is shared out";
  const auto pair = grid_significance(cells, 0, {.seed_variance = SeedVariance::pair});
  EXPECT_EQ(pair.cells[1].comparison->verdict, Verdict::better);
  EXPECT_EQ(pair.cells[2].comparison->verdict, Verdict::cannot_tell);
  // Nothing varies over sentences: Welch's t test.
  const SeedSummary a = summarize_seeds(pair.cells[0].scores), b = summarize_seeds(pair.cells[1].scores);
  const double var_a = *a.deviation * *a.deviation / 3.0, var_b = *b.deviation * *b.deviation / 3.0;
  const double freedom = (var_a + var_b) * (var_a + var_b) / (var_a * var_a / 2.0 + var_b * var_b / 2.0);
  const double error = std::sqrt(var_a + var_b);
  EXPECT_NEAR(pair.cells[1].comparison->error, error, 1e-9);
  EXPECT_NEAR(pair.cells[1].comparison->p, student_t_two_sided((b.mean - a.mean) / error, freedom), 1e-9);
  EXPECT_FALSE(grid_significance({cells[0], {"one", {uniform(50)}}}, 0).uneven) << "nothing to compare its seeds with";
}

TEST(GridSignificance, CellsWithoutDataAreLeftOut) {
  auto cells = simulated({.cells = 3, .seeds = 2});
  cells[1].seeds.clear();
  const auto grid = grid_significance(cells, 0);
  EXPECT_EQ(grid.compared, 1U);
  EXPECT_THAT(grid.cells[1].scores, IsEmpty());
  EXPECT_FALSE(grid.cells[1].comparison);
  EXPECT_TRUE(grid.cells[2].comparison);

  const auto no_baseline = grid_significance(cells, 1);
  EXPECT_EQ(no_baseline.compared, 0U);
  EXPECT_EQ(no_baseline.cells[0].scores.size(), 2U) << "scores are shown all the same";
  EXPECT_FALSE(no_baseline.cells[0].comparison);

  const auto nothing = grid_significance(std::vector<CellSample>(2), 0);
  EXPECT_EQ(nothing.cells.size(), 2U);
  EXPECT_THAT(nothing.cells[0].scores, IsEmpty());
}

TEST(GridSignificance, OneSentenceIsScoredAndNotCompared) {
  const auto grid = grid_significance(simulated({.cells = 2, .seeds = 2, .sentences = 1}), 0);
  EXPECT_EQ(grid.cells[1].scores.size(), 2U);
  EXPECT_FALSE(grid.cells[1].comparison);
  EXPECT_EQ(grid.compared, 0U);
}

TEST(GridSignificance, EqualOutputsCannotBeTold) {
  auto cells = simulated({.cells = 2, .seeds = 2});
  cells[1].seeds = cells[0].seeds;
  const CellComparison comparison = *grid_significance(cells, 0).cells[1].comparison;
  EXPECT_EQ(comparison.difference, 0.0);
  EXPECT_EQ(comparison.p, 1.0);
  EXPECT_EQ(comparison.verdict, Verdict::cannot_tell);
}

std::string complaint(const std::vector<CellSample>& cells, std::size_t baseline, const SignificanceOptions& options) {
  try {
    grid_significance(cells, baseline, options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(GridSignificance, RefusesWhatCannotBeCompared) {
  auto cells = simulated({.cells = 2, .seeds = 2, .sentences = 20});
  EXPECT_THAT(complaint(cells, 2, {}), HasSubstr("baseline"));
  EXPECT_THAT(complaint(cells, 0, {.resamples = 1}), HasSubstr("resamples"));
  EXPECT_THAT(complaint(cells, 0, {.alpha = 0}), HasSubstr("alpha"));
  EXPECT_THAT(complaint(cells, 0, {.difference = 0}), HasSubstr("difference"));
  EXPECT_THAT(complaint(cells, 0, {.power = 1}), HasSubstr("power"));
  cells[1].seeds[1].pop_back();
  EXPECT_THAT(complaint(cells, 0, {}), testing::AllOf(HasSubstr("cell 1 has 19"), HasSubstr("cell 0 has 20")));
}

}  // namespace
}  // namespace mha
