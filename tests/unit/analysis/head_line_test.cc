#include "analysis/head_line.h"

#include <gtest/gtest.h>

#include "unit/analysis/sweep_testing.h"

namespace mha {
namespace {

using testing::cell_name;
using testing::failed_cell;
using testing::finished_cell;
using testing::results_of;

CellResult compared(std::int64_t h, CellVerdict verdict, double difference = 0) {
  CellResult cell = finished_cell(h, 64, 30 + difference);
  cell.against_baseline.verdict = verdict;
  cell.against_baseline.difference = difference;
  return cell;
}

/// The comparison of these results at so many seeds.
SweepComparison comparison_of(const SweepResults& results, std::size_t seeds = 3) {
  GridSignificance grid{.method = seeds > 1 ? SignificanceMethod::hierarchical : SignificanceMethod::sentences};
  grid.sentences = 1000;
  for (const CellResult& cell : results.cells) {
    grid.cells.push_back({.name = cell.cell, .scores = std::vector<double>(cell.finished > 0 ? seeds : 0, 30.0)});
    grid.compared += cell.finished > 0 ? 1 : 0;
  }
  --grid.compared;
  grid.seeds_needed = {.difference = 0.3, .power = 0.8};
  if (seeds > 1) grid.seeds_needed.seed_deviation = 0.3;
  return {.grid = grid, .unsteady = "", .problems = {}};
}

TEST(HeadLine, NamesHowManyCannotBeToldApartAndWhatWouldSettleIt) {
  std::vector<CellResult> cells = {compared(8, CellVerdict::baseline)};
  for (const std::int64_t h : {1, 2, 4, 16, 32}) cells.push_back(compared(h, CellVerdict::cannot_tell, 0.1));
  const SweepResults results = results_of(cells);
  SweepComparison comparison = comparison_of(results);
  comparison.grid->seeds_needed.seeds = 11;
  EXPECT_EQ(head_line(results, comparison),
            "h=8,d_k=64 and 5 others cannot be told apart at 3 seeds; about 11 seeds would settle 0.3 BLEU.");
}

TEST(HeadLine, OneOtherIsNamed) {
  const SweepResults results =
      results_of({compared(8, CellVerdict::baseline), compared(4, CellVerdict::cannot_tell, 0.1)});
  SweepComparison comparison = comparison_of(results);
  comparison.grid->seeds_needed.smallest_difference = 0.42;
  EXPECT_EQ(head_line(results, comparison),
            "h=8,d_k=64 and h=4,d_k=64 cannot be told apart at 3 seeds; no number of seeds settles 0.3 BLEU on these "
            "1,000 test sentences, at best 0.4 BLEU.");
}

TEST(HeadLine, BetterAndWorseAreNamedWithTheLargestDifference) {
  const SweepResults results = results_of({compared(8, CellVerdict::baseline), compared(4, CellVerdict::better, 1.2),
                                           compared(2, CellVerdict::worse, -0.8), compared(1, CellVerdict::worse, -2.1),
                                           compared(16, CellVerdict::cannot_tell, 0.1)});
  SweepComparison comparison = comparison_of(results);
  comparison.grid->seeds_needed.seeds = 3;
  EXPECT_EQ(head_line(results, comparison),
            "h=8,d_k=64 and h=16,d_k=64 cannot be told apart at 3 seeds; h=4,d_k=64 is better than h=8,d_k=64 (+1.20 "
            "BLEU); 2 cells are worse than h=8,d_k=64, h=1,d_k=64 the most (-2.10 BLEU); about 3 seeds find 0.3 BLEU "
            "between one pair in 80 % of cases, among several in fewer.");
}

TEST(HeadLine, EnoughSeedsForOnePairPromiseNothingOfWhatDiffers) {
  const SweepResults results =
      results_of({compared(8, CellVerdict::baseline), compared(4, CellVerdict::cannot_tell, 0.35)});
  SweepComparison comparison = comparison_of(results);
  comparison.grid->seeds_needed.seeds = 2;
  EXPECT_EQ(head_line(results, comparison),
            "h=8,d_k=64 and h=4,d_k=64 cannot be told apart at 3 seeds; about 2 seeds find 0.3 BLEU between one pair "
            "in 80 % of cases.");
}

TEST(HeadLine, TheCellWithTheFewestSeedsSaysWhetherMoreAreNeeded) {
  const SweepResults results =
      results_of({compared(8, CellVerdict::baseline), compared(4, CellVerdict::cannot_tell, 0.1)});
  SweepComparison comparison = comparison_of(results);
  comparison.grid->seeds_needed.seeds = 3;
  comparison.grid->cells[1].scores.pop_back();
  EXPECT_EQ(head_line(results, comparison),
            "h=8,d_k=64 and h=4,d_k=64 cannot be told apart at 2 to 3 seeds; about 3 seeds would settle 0.3 BLEU.");
}

TEST(HeadLine, SeedsThatAllScoreTheSameSettleNothing) {
  const SweepResults results =
      results_of({compared(8, CellVerdict::baseline), compared(4, CellVerdict::cannot_tell, 0)});
  SweepComparison comparison = comparison_of(results);
  comparison.grid->seeds_needed.seeds = 2;
  comparison.grid->seeds_needed.seed_deviation = 1e-15;
  EXPECT_EQ(head_line(results, comparison),
            "h=8,d_k=64 and h=4,d_k=64 cannot be told apart at 3 seeds; the seeds of each cell score the same, so how "
            "many would settle 0.3 BLEU is not known.");
}

TEST(HeadLine, AClearWinner) {
  const SweepResults two = results_of({compared(8, CellVerdict::baseline), compared(1, CellVerdict::worse, -2)});
  EXPECT_EQ(head_line(two, comparison_of(two)), "h=8,d_k=64 is better than h=1,d_k=64 at 3 seeds.");
  const SweepResults three = results_of(
      {compared(8, CellVerdict::baseline), compared(1, CellVerdict::worse, -2), compared(2, CellVerdict::worse, -1)});
  EXPECT_EQ(head_line(three, comparison_of(three)), "h=8,d_k=64 is better than all 2 others compared at 3 seeds.");
}

TEST(HeadLine, ABaselineThatAllBeat) {
  const SweepResults results = results_of({compared(8, CellVerdict::baseline), compared(1, CellVerdict::better, 2)});
  EXPECT_EQ(head_line(results, comparison_of(results)),
            "h=1,d_k=64 is better than h=8,d_k=64 (+2.00 BLEU) at 3 seeds.");
}

TEST(HeadLine, OneSeedSaysWhatItCannotKnow) {
  const SweepResults results = results_of({compared(8, CellVerdict::baseline), compared(4, CellVerdict::better, 1.2),
                                           compared(2, CellVerdict::cannot_tell, 0.1)});
  EXPECT_EQ(head_line(results, comparison_of(results, 1)),
            "Over test sentences alone, h=8,d_k=64 and h=2,d_k=64 cannot be told apart at 1 seed; h=4,d_k=64 is better "
            "than h=8,d_k=64 (+1.20 BLEU); with one seed a cell nobody knows how far another training would differ: "
            "train at least 2 seeds.");
}

TEST(HeadLine, OneSeedAndAClearWinnerSaysSoToo) {
  const SweepResults results = results_of({compared(8, CellVerdict::baseline), compared(1, CellVerdict::worse, -2)});
  EXPECT_EQ(head_line(results, comparison_of(results, 1)),
            "Over test sentences alone, h=8,d_k=64 is better than h=1,d_k=64 at 1 seed; with one seed a cell nobody "
            "knows how far another training would differ: train at least 2 seeds.");
}

TEST(HeadLine, UnequalNumbersOfSeedsAreARange) {
  const SweepResults results =
      results_of({compared(8, CellVerdict::baseline), compared(4, CellVerdict::cannot_tell, 0.1)});
  SweepComparison comparison = comparison_of(results);
  comparison.grid->seeds_needed.seeds = 40;
  comparison.grid->cells[1].scores.pop_back();
  EXPECT_EQ(head_line(results, comparison),
            "h=8,d_k=64 and h=4,d_k=64 cannot be told apart at 2 to 3 seeds; about 40 seeds would settle 0.3 BLEU.");
}

TEST(HeadLine, AStandInForTheBaselineIsTold) {
  SweepResults results = results_of({compared(4, CellVerdict::baseline), compared(2, CellVerdict::worse, -1),
                                     failed_cell(8, 64, SweepRunStatus::diverged, "the loss is not finite")});
  results.sweep.baseline = cell_name(8, 64);
  results.baseline_stands_in = true;
  EXPECT_EQ(head_line(results, comparison_of(results)),
            "h=4,d_k=64 (in place of the baseline h=8,d_k=64, which has no result) is better than h=2,d_k=64 at 3 "
            "seeds. Runs without a result: 1 diverged.");
}

TEST(HeadLine, OneCell) {
  EXPECT_EQ(head_line(results_of({finished_cell(8, 64, 30, 1)}), {}),
            "The only cell is h=8,d_k=64: 30.00 BLEU (1 seed); there is nothing to compare it with.");
  CellResult spread = finished_cell(8, 64, 30, 3);
  spread.bleu.sd = 0.25;
  EXPECT_EQ(head_line(results_of({spread, failed_cell(4, 64, SweepRunStatus::pending, "")}), {}),
            "Only one of 2 cells has a result, h=8,d_k=64: 30.00 BLEU (3 seeds, sd 0.25); there is nothing to compare "
            "it with yet. Runs without a result: 1 pending.");
}

TEST(HeadLine, NothingFinished) {
  EXPECT_EQ(head_line(results_of({}), {}), "The sweep has no cells.");
  EXPECT_EQ(head_line(results_of({failed_cell(8, 64, SweepRunStatus::out_of_memory, "x"),
                                  failed_cell(4, 64, SweepRunStatus::pending, ""),
                                  failed_cell(2, 64, SweepRunStatus::pending, "")}),
                      {}),
            "No cell has a result. Runs without a result: 2 pending, 1 out of memory.");
}

TEST(HeadLine, ResultsThatCannotBeCompared) {
  EXPECT_EQ(head_line(results_of({finished_cell(8, 64, 30), finished_cell(4, 64, 31)}), {}),
            "2 cells have results, but their translations cannot be compared.");
}

}  // namespace
}  // namespace mha
