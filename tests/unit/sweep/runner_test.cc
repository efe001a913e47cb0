#include "sweep/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "base/error.h"
#include "base/stop.h"
#include "sweep_testing.h"

namespace mha {
namespace {

using ::testing::ElementsAre;
using testing::FakeLauncher;
using ::testing::HasSubstr;
using testing::plan_of_cells;
using testing::TemporaryFolder;

class RunnerTest : public ::testing::Test {
 protected:
  ~RunnerTest() override { request_stop(0); }
  Journal open(std::size_t cells, bool retry_failed = false) const {
    return {folder_ / "sweep", plan_of_cells(cells), {.shard = {}, .retry_failed = retry_failed}};
  }
  /// One process of a sweep, from opening to its end; the cells that it started.
  std::vector<std::string> sweep(std::size_t cells, bool retry_failed = false) {
    Journal journal = open(cells, retry_failed);
    GridOrder order(journal.open_runs());
    JobChoice jobs({.jobs = jobs_, .processors = 4, .runs = 100});
    SweepObserver nobody;
    launcher_.started.clear();
    launcher_.signal = 0;
    SweepRunner runner({.journal = journal,
                        .launcher = launcher_,
                        .order = order,
                        .jobs = jobs,
                        .observer = nobody,
                        .memory_bytes = memory_bytes_});
    try {
      runner.run();
      stopped_ = false;
    } catch (const Interrupted&) {
      stopped_ = true;
    }
    written_ = read_sweep(journal.file());
    std::vector<std::string> ids;
    for (const Job& job : launcher_.started) ids.push_back(job.id.substr(11));
    return ids;
  }
  SweepRunStatus status(std::size_t run) const { return written_.runs[run].status; }

  TemporaryFolder folder_;
  FakeLauncher launcher_;
  SweepFile written_;
  std::int64_t jobs_ = 2, memory_bytes_ = 0;
  bool stopped_ = false;
};

TEST_F(RunnerTest, RunsEachOnceInTheOrderOfThePlan) {
  EXPECT_THAT(sweep(4), ElementsAre("0", "1", "2", "3"));
  EXPECT_EQ(launcher_.most_at_once, 2U);
  EXPECT_EQ(launcher_.started[0].threads, 2);
  for (const SweepRun& run : written_.runs) {
    EXPECT_EQ(run.status, SweepRunStatus::done);
    EXPECT_EQ(run.attempts, 1);
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_DOUBLE_EQ(run.wall, 2);
  }
  EXPECT_THAT(sweep(4), ElementsAre());
}

TEST_F(RunnerTest, OneFailureDoesNotEndTheOthers) {
  launcher_.ends["0123456789a0"] = {RunStatus::diverged, "the loss is not finite", 3, false};
  launcher_.ends["0123456789a1"] = {RunStatus::failed, "", 128 + SIGKILL, true};
  launcher_.ends["0123456789a2"] = {RunStatus::failed, "std::bad_alloc", 1, false};
  EXPECT_THAT(sweep(5), ElementsAre("0", "1", "2", "3", "4"));
  EXPECT_EQ(status(0), SweepRunStatus::diverged);
  EXPECT_EQ(written_.runs[0].reason, "the loss is not finite");
  EXPECT_EQ(status(1), SweepRunStatus::failed);
  EXPECT_THAT(written_.runs[1].reason, HasSubstr("killed by signal 9"));
  EXPECT_EQ(written_.runs[1].exit_code, 137);
  EXPECT_EQ(status(2), SweepRunStatus::out_of_memory);
  EXPECT_EQ(status(4), SweepRunStatus::done);

  // Started again, it does what it did not do; failed ones only if asked for.
  launcher_.ends.clear();
  EXPECT_THAT(sweep(6), ElementsAre("5"));
  EXPECT_THAT(sweep(6, true), ElementsAre("0", "1", "2"));
  EXPECT_EQ(status(1), SweepRunStatus::done);
  EXPECT_EQ(written_.runs[1].attempts, 2);
  EXPECT_DOUBLE_EQ(written_.runs[1].wall, 4);
}

TEST_F(RunnerTest, AStopStartsNothingMoreAndIsPassedOn) {
  launcher_.before_wait = [this] {
    if (launcher_.started.size() == 3) request_stop(SIGTERM);
  };
  EXPECT_THAT(sweep(6), ElementsAre("0", "1", "2"));
  EXPECT_TRUE(stopped_);
  EXPECT_EQ(launcher_.signal, SIGTERM);
  EXPECT_EQ(status(0), SweepRunStatus::done);
  EXPECT_EQ(status(2), SweepRunStatus::interrupted);
  EXPECT_EQ(status(3), SweepRunStatus::pending);
  request_stop(0);
  launcher_.before_wait = nullptr;
  EXPECT_THAT(sweep(6), ElementsAre("2", "3", "4", "5"));
  EXPECT_FALSE(stopped_);
}

TEST_F(RunnerTest, RunsThatWouldNotFitTogetherWait) {
  SweepPlan plan = plan_of_cells(4);
  for (std::size_t i = 0; i < 4; ++i) plan.runs[i].run.cost.memory_bytes = i == 1 ? 900 : 300;
  Journal journal(folder_ / "sweep", plan, {});
  GridOrder order(journal.open_runs());
  JobChoice jobs({.jobs = 4, .processors = 4, .runs = 4});
  SweepObserver nobody;
  std::vector<std::size_t> together;
  launcher_.before_wait = [&] { together.push_back(launcher_.running.size()); };
  SweepRunner({.journal = journal,
               .launcher = launcher_,
               .order = order,
               .jobs = jobs,
               .observer = nobody,
               .memory_bytes = 800})
      .run();
  EXPECT_THAT(together, ElementsAre(1, 1, 2, 1));  // the second is larger than all there is, and tried alone
}

TEST_F(RunnerTest, AnErrorOfTheSweepLeavesItsRunsToGoOn) {
  launcher_.before_wait = [] { throw UserError("sbatch is not there"); };
  EXPECT_THROW(sweep(2), UserError);
  launcher_.before_wait = nullptr;
  const SweepFile after = read_sweep(folder_ / "sweep" / "sweep.json");
  EXPECT_EQ(after.runs[0].status, SweepRunStatus::interrupted);
  EXPECT_THAT(after.runs[0].reason, HasSubstr("sbatch is not there"));
  launcher_.running.clear();
  EXPECT_THAT(sweep(2), ElementsAre("0", "1"));
}

TEST_F(RunnerTest, MeasuresHowManyAtATime) {
  Journal journal = open(9);
  GridOrder order(journal.open_runs());
  JobChoice jobs({.processors = 3, .runs = 9});
  SweepObserver nobody;
  SweepRunner({.journal = journal, .launcher = launcher_, .order = order, .jobs = jobs, .observer = nobody}).run();
  std::vector<std::int64_t> threads;
  for (const Job& job : launcher_.started) threads.push_back(job.threads);
  // All train at the same rate in the fake: three at a time are three times as fast.
  EXPECT_THAT(threads, ElementsAre(3, 1, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_EQ(launcher_.most_at_once, 3U);
}

}  // namespace
}  // namespace mha
