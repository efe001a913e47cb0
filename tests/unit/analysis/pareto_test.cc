#include "analysis/pareto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "unit/analysis/sweep_testing.h"

namespace mha {
namespace {

using ::testing::ElementsAre;
using testing::finished_cell;

TEST(Pareto, KeepsWhatNothingBeats) {
  EXPECT_THAT(pareto_front({{30, 5}, {20, 9}, {31, 9}, {30, 6}}), ElementsAre(true, false, true, false));
}

TEST(Pareto, EqualPointsStandTogether) { EXPECT_THAT(pareto_front({{30, 5}, {30, 5}}), ElementsAre(true, true)); }

TEST(Pareto, WhatIsNotKnownIsOnNoFrontAndBeatsNothing) {
  EXPECT_THAT(pareto_front({{kUnknown, 1}, {40, kUnknown}, {30, 5}}), ElementsAre(false, false, true));
  EXPECT_THAT(pareto_front({}), ElementsAre());
}

/// Sorted by cost, then by how good, a point is on the front if it is better than all before it, or equals one that is.
TEST(Pareto, AgreesWithASweepOverSortedPoints) {
  RandomStream random(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<FrontPoint> points;
    for (int i = 0; i < 12; ++i)
      points.push_back({static_cast<double>(random.below(6)), static_cast<double>(random.below(6))});
    std::vector<FrontPoint> sorted = points;
    std::ranges::sort(sorted, {}, [](const FrontPoint& p) { return std::pair(p.cost, -p.good); });
    std::vector<std::pair<double, double>> front;
    for (const FrontPoint& p : sorted) {
      if (front.empty() || p.good > front.back().second) front.emplace_back(p.cost, p.good);
    }
    const std::vector<bool> marked = pareto_front(points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::pair point(points[i].cost, points[i].good);
      EXPECT_EQ(marked[i], std::ranges::find(front, point) != front.end());
    }
  }
}

TEST(Pareto, CellsAreMarkedByAxis) {
  std::vector<CellResult> cells = {finished_cell(8, 8, 30), finished_cell(4, 8, 29), finished_cell(2, 8, 28)};
  cells[2].wps = 90000;
  cells[1].peak_resident_bytes = 100;
  mark_fronts(cells);
  EXPECT_THAT(cells[0].fronts, ElementsAre("tokens/s", "parameters", "memory"));
  EXPECT_THAT(cells[1].fronts, ElementsAre("parameters", "memory"));
  EXPECT_THAT(cells[2].fronts, ElementsAre("tokens/s", "parameters"));
}

TEST(Pareto, SpeedAndMemoryOfUnlikeCellsDoNotCount) {
  std::vector<CellResult> cells = {finished_cell(8, 8, 30), finished_cell(4, 8, 31)};
  cells[1].comparable = false;
  cells[1].wps = 90000;
  mark_fronts(cells);
  EXPECT_THAT(cells[0].fronts, ElementsAre("tokens/s", "memory"));
  EXPECT_THAT(cells[1].fronts, ElementsAre("parameters"));
}

TEST(Pareto, BleuOfAnotherKindDoesNotCount) {
  std::vector<CellResult> cells = {finished_cell(8, 8, 30), finished_cell(4, 8, 31)};
  cells[1].same_test = false;
  mark_fronts(cells);
  EXPECT_EQ(cells[0].fronts.size(), 3u);
  EXPECT_TRUE(cells[1].fronts.empty());
}

}  // namespace
}  // namespace mha
