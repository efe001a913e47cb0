#include "sweep/halving.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "report/run_report.h"

namespace mha {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(HalvingRungs, AreSharesOnTheValidationGrid) {
  EXPECT_THAT(halving_rungs(9, 900, 10), ElementsAre(100, 300));
  EXPECT_THAT(halving_rungs(26, 900, 10), ElementsAre(100, 300));
  EXPECT_THAT(halving_rungs(27, 900, 50), ElementsAre(50, 100, 300));
  EXPECT_THAT(halving_rungs(9, 1000, 500), ElementsAre(500));  // both thirds fall on one validation
  EXPECT_THAT(halving_rungs(2, 900, 10), IsEmpty());
  EXPECT_THAT(halving_rungs(9, 30, 30), IsEmpty());
}

/// A world in which run r has the loss `loss[r]` wherever it is.
class World {
 public:
  explicit World(std::vector<double> losses) : losses_(std::move(losses)) {}
  Halving::LossAt loss_at() {
    return [this](std::size_t run, std::int64_t update) {
      return at_[run] >= update ? std::optional(losses_[run]) : std::nullopt;
    };
  }
  /// Trains one run after the other until nothing is left; the steps.
  std::vector<Step> train(Halving& halving, std::size_t most_steps = 1000) {
    std::vector<Step> steps;
    while (steps.size() < most_steps) {
      const auto step = halving.next();
      if (!step) break;
      steps.push_back(*step);
      Outcome outcome;
      outcome.report.emplace();
      if (failing_.contains(step->run)) {
        outcome.status = SweepRunStatus::failed;
        outcome.report->exit_code = 1;
      } else {
        at_[step->run] = step->stop_after > 0 ? step->stop_after : 900;
        outcome.status = step->stop_after > 0 ? SweepRunStatus::interrupted : SweepRunStatus::done;
      }
      halving.ended(step->run, outcome);
    }
    return steps;
  }
  std::vector<double> losses_;
  std::map<std::size_t, std::int64_t> at_;
  std::map<std::size_t, bool> failing_;
};

std::vector<Halving::Cell> cells_of_one(std::size_t count) {
  std::vector<Halving::Cell> cells;
  for (std::size_t i = 0; i < count; ++i) cells.push_back({"h=" + std::to_string(i), {i}});
  return cells;
}

std::vector<std::size_t> trained_to_the_end(const std::vector<Step>& steps) {
  std::vector<std::size_t> runs;
  for (const Step& step : steps) {
    if (step.stop_after == 0) runs.push_back(step.run);
  }
  return runs;
}

TEST(Halving, TheBestThirdGoesOnOnceAllAreThere) {
  World world({9, 8, 7, 6, 5, 4, 3, 2, 1});
  Halving halving(cells_of_one(9), {100, 300}, world.loss_at(), {});
  const std::vector<Step> steps = world.train(halving);
  ASSERT_EQ(steps.size(), 9U + 3U + 1U);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(steps[i], (Step{i, 100}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(steps[9 + i], (Step{6 + i, 300}));
  EXPECT_EQ(steps[12], (Step{8, 0}));
  std::vector<std::size_t> cut;
  for (const auto& each : halving.cut()) cut.push_back(each.run);
  EXPECT_THAT(cut, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(halving.cut().front().reason, HasSubstr("cut at update 100"));
  EXPECT_THAT(halving.cut().back().reason, HasSubstr("cut at update 300"));
}

TEST(Halving, NothingIsDecidedWhileACellTrains) {
  World world({3, 2, 1});
  Halving halving(cells_of_one(3), {100}, world.loss_at(), {});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(halving.next());
  EXPECT_FALSE(halving.next());
  Outcome paused{SweepRunStatus::interrupted, "", RunReport{}};
  for (const std::size_t run : {2U, 0U}) {
    world.at_[run] = 100;
    halving.ended(run, paused);
    EXPECT_FALSE(halving.next());
  }
  world.at_[1] = 100;
  halving.ended(1, paused);
  EXPECT_EQ(halving.next(), (Step{2, 0}));
}

TEST(Halving, ACellIsItsSeedsTogether) {
  // Cell 1 has the best single seed, cell 2 the best mean.
  World world({5, 5, 1, 8, 3, 3});
  Halving halving({{"a", {0, 1}}, {"b", {2, 3}}, {"c", {4, 5}}}, {100}, world.loss_at(), {});
  EXPECT_THAT(trained_to_the_end(world.train(halving)), ElementsAre(4, 5));
  EXPECT_EQ(halving.cut().size(), 4U);
}

TEST(Halving, FailedAndNotFiniteCellsDoNotGoOn) {
  World world({std::nan(""), 2, 3, 1});
  world.failing_[3] = true;
  Halving halving(cells_of_one(4), {100}, world.loss_at(), {});
  EXPECT_THAT(trained_to_the_end(world.train(halving)), ElementsAre(1));
  std::vector<std::size_t> cut;
  for (const auto& each : halving.cut()) cut.push_back(each.run);
  EXPECT_THAT(cut, ElementsAre(0, 2));  // the failed one has failed, it is not cut
}

TEST(Halving, WithoutRungsAllAreTrainedToTheEnd) {
  World world({2, 1});
  Halving halving(cells_of_one(2), {}, world.loss_at(), {});
  EXPECT_THAT(trained_to_the_end(world.train(halving)), ElementsAre(0, 1));
  EXPECT_THAT(halving.cut(), IsEmpty());
}

TEST(Halving, StartedAgainItEndsAsOneThatWasNotStopped) {
  World straight({3, 9, 8, 1, 7, 6, 2, 5, 4});
  Halving whole(cells_of_one(9), {100, 300}, straight.loss_at(), {});
  const auto expected = trained_to_the_end(straight.train(whole));
  for (std::size_t stop = 0; stop < 13; ++stop) {
    World world(straight.losses_);
    Halving first(cells_of_one(9), {100, 300}, world.loss_at(), {});
    world.train(first, stop);
    std::vector<std::size_t> over;
    for (const auto& [run, update] : world.at_) {
      if (update == 900) over.push_back(run);
    }
    Halving second(cells_of_one(9), {100, 300}, world.loss_at(), over);
    std::vector<std::size_t> ends = trained_to_the_end(world.train(second));
    ends.insert(ends.end(), over.begin(), over.end());
    EXPECT_EQ(ends, expected) << "stopped after " << stop << " steps";
    for (const auto& each : second.cut()) EXPECT_NE(each.run, expected[0]);
    EXPECT_EQ(second.cut().size(), 8U);
  }
}

}  // namespace
}  // namespace mha
