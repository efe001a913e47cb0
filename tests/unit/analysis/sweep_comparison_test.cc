#include "analysis/sweep_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/analysis/sweep_testing.h"

namespace mha {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SweepFolder;

CellVerdict verdict(const SweepResults& results, std::size_t cell) {
  return results.cells[cell].against_baseline.verdict;
}

/// Three seeds of three cells: the last is much worse than the others, which are alike. Seeds of a cell err mostly in
/// the same sentences.
void add_grid(SweepFolder& folder) {
  for (const std::size_t seed : {0, 1, 2}) {
    folder.done(8, 8, static_cast<std::int64_t>(seed), 12, 12 * seed);
    folder.done(4, 8, static_cast<std::int64_t>(seed), 12, 12 * seed + 6);
    folder.done(1, 8, static_cast<std::int64_t>(seed), 2, 2 * seed);
  }
}

TEST(SweepComparison, TellsALossFromTheSame) {
  SweepFolder folder;
  add_grid(folder);
  SweepResults results = folder.collect();
  const SweepComparison comparison = compare_with_baseline(results);
  ASSERT_TRUE(comparison.grid);
  EXPECT_THAT(comparison.problems, IsEmpty());
  EXPECT_EQ(comparison.grid->compared, 2u);
  EXPECT_EQ(comparison.grid->method, SignificanceMethod::hierarchical);
  EXPECT_EQ(verdict(results, 0), CellVerdict::baseline);
  EXPECT_EQ(verdict(results, 1), CellVerdict::cannot_tell);
  EXPECT_EQ(verdict(results, 2), CellVerdict::worse);
  const CellAgainstBaseline& loss = results.cells[2].against_baseline;
  EXPECT_NEAR(loss.difference, results.cells[2].bleu.mean - results.cells[0].bleu.mean, 1e-9);
  EXPECT_LT(loss.high, 0);
  EXPECT_LT(loss.p_holm, 0.05);
}

TEST(SweepComparison, AWinnerIsBetter) {
  SweepFolder folder;
  add_grid(folder);
  folder.sweep.baseline = "h=1,d_k=8";
  SweepResults results = folder.collect();
  compare_with_baseline(results);
  EXPECT_EQ(verdict(results, 0), CellVerdict::better);
  EXPECT_EQ(verdict(results, 2), CellVerdict::baseline);
}

TEST(SweepComparison, OneSeedIsSentencesAlone) {
  SweepFolder folder;
  folder.done(8, 8, 1, 12);
  folder.done(1, 8, 1, 2);
  SweepResults results = folder.collect();
  const SweepComparison comparison = compare_with_baseline(results);
  ASSERT_TRUE(comparison.grid);
  EXPECT_EQ(comparison.grid->method, SignificanceMethod::sentences);
  EXPECT_FALSE(comparison.grid->seeds_needed.seed_deviation);
}

TEST(SweepComparison, RunsWithoutTheirTranslationsTakeNoPart) {
  SweepFolder folder;
  add_grid(folder);
  SweepResults results = folder.collect();
  std::filesystem::remove(folder.folder() / "runs/h=1,d_k=8-0/hypotheses/test.txt");
  folder.folder().write("runs/h=4,d_k=8-1/hypotheses/test.txt", "something else\n");
  const SweepComparison comparison = compare_with_baseline(results);
  ASSERT_TRUE(comparison.grid);
  EXPECT_THAT(comparison.problems, ElementsAre(HasSubstr("runs/h=4,d_k=8-1"), HasSubstr("runs/h=1,d_k=8-0")));
  EXPECT_EQ(comparison.grid->cells[2].scores.size(), 2u);
  EXPECT_EQ(verdict(results, 2), CellVerdict::worse);
}

TEST(SweepComparison, ChangedReferencesStopIt) {
  SweepFolder folder;
  add_grid(folder);
  SweepResults results = folder.collect();
  folder.folder().write("test.de", "gone\n");
  const SweepComparison comparison = compare_with_baseline(results);
  EXPECT_FALSE(comparison.grid);
  EXPECT_THAT(comparison.problems, ElementsAre(HasSubstr("h=8"), HasSubstr("h=8"), HasSubstr("h=8")));
  EXPECT_EQ(verdict(results, 0), CellVerdict::not_compared);
}

TEST(SweepComparison, AnotherTokenisationIsNotCompared) {
  SweepFolder folder;
  folder.done(8, 8, 1, 12);
  SweepRun& run = folder.done(4, 8, 1, 12);
  RunReport report = folder.report(run, 12);
  report.test->bleu["signature"] = "nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:2.6.0";
  report.test->bleu["tok"] = "none";
  folder.write(run, report);
  SweepResults results = folder.collect();
  const SweepComparison comparison = compare_with_baseline(results);
  EXPECT_THAT(comparison.problems, ElementsAre(HasSubstr("in another way")));
  EXPECT_EQ(verdict(results, 1), CellVerdict::not_compared);
}

TEST(SweepComparison, ASweepWithoutResultsHasNone) {
  SweepFolder folder;
  folder.plan(8, 8, 1);
  SweepResults results = folder.collect();
  EXPECT_FALSE(compare_with_baseline(results).grid);
  SweepResults empty;
  EXPECT_FALSE(compare_with_baseline(empty).grid);
}

}  // namespace
}  // namespace mha
