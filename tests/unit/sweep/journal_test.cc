#include "sweep/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "support/message_of.h"
#include "sweep_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::leave_report;
using testing::message_of;
using testing::plan_of;
using testing::plan_of_cells;
using testing::planned_run;
using testing::TemporaryFolder;

class JournalTest : public ::testing::Test {
 protected:
  Journal open(const SweepPlan& plan, bool retry_failed = false, Shard shard = {}) const {
    return {root_, plan, {.shard = shard, .retry_failed = retry_failed}};
  }
  /// A run that a killed sweep left as it was in sweep.json.
  void put(std::size_t index, SweepRunStatus status) const {
    Journal journal = open(plan_of_cells(3));
    SweepRun run = journal.run(index);
    run.status = status;
    run.reason = "before";
    run.attempts = 1;
    journal.update(index, run);
  }
  RunFolder folder(std::size_t index) const { return RunFolder(root_ / planned_run(index, "").run.run_dir); }
  SweepRunStatus status(std::size_t index, bool retry_failed = false) const {
    return open(plan_of_cells(3), retry_failed).run(index).status;
  }
  TemporaryFolder folder_;
  std::filesystem::path root_ = folder_ / "sweep";
};

TEST_F(JournalTest, BeginsWithThePlan) {
  const Journal journal = open(plan_of_cells(2));
  EXPECT_THAT(journal.open_runs(), ElementsAre(0, 1));
  const SweepFile written = read_sweep(journal.file());
  EXPECT_EQ(written.name, "grid");
  EXPECT_EQ(written.runs[1].cell, "h=2");
  EXPECT_EQ(written.runs[1].status, SweepRunStatus::pending);
}

TEST_F(JournalTest, InvalidAndExcludedRunsAreNotStarted) {
  SweepPlan plan = plan_of_cells(3);
  plan.runs[0].run.status = SweepRunStatus::invalid;
  plan.runs[2].run.status = SweepRunStatus::excluded;
  EXPECT_THAT(open(plan).open_runs(), ElementsAre(1));
}

TEST_F(JournalTest, TheRunFolderDecidesWhatIsFinished) {
  put(0, SweepRunStatus::running);
  leave_report(folder(0), RunStatus::completed, "", 0);
  EXPECT_EQ(status(0), SweepRunStatus::done);
  EXPECT_DOUBLE_EQ(open(plan_of_cells(3)).run(0).wall, 5);  // of the report: the killed sweep did not put it down
  put(1, SweepRunStatus::done);
  EXPECT_EQ(status(1), SweepRunStatus::pending);  // somebody removed its folder
  put(2, SweepRunStatus::running);
  leave_report(folder(2), RunStatus::diverged, "nan", 3);
  EXPECT_EQ(status(2), SweepRunStatus::diverged);
}

TEST_F(JournalTest, HalfDoneRunsGoOn) {
  put(0, SweepRunStatus::running);
  write_file((make_directories(folder(0).root()), folder(0).config()), "{}");
  put(1, SweepRunStatus::interrupted);
  put(2, SweepRunStatus::cut);  // by a sweep with --halving; without it, everything is trained
  EXPECT_THAT(open(plan_of_cells(3)).open_runs(), ElementsAre(0, 1, 2));
}

TEST_F(JournalTest, FailedRunsOnlyIfAskedFor) {
  put(0, SweepRunStatus::failed);  // without a report, as a killed one
  leave_report(folder(1), RunStatus::diverged, "nan", 3);
  put(1, SweepRunStatus::diverged);
  put(2, SweepRunStatus::out_of_memory);
  EXPECT_THAT(open(plan_of_cells(3)).open_runs(), IsEmpty());
  EXPECT_EQ(open(plan_of_cells(3)).run(0).reason, "before");
  EXPECT_THAT(open(plan_of_cells(3), true).open_runs(), ElementsAre(0, 1, 2));
}

TEST_F(JournalTest, AddedValuesAreNewRunsAndDroppedOnesStay) {
  put(0, SweepRunStatus::failed);
  leave_report(folder(1), RunStatus::completed, "", 0);
  put(1, SweepRunStatus::done);
  const Journal journal = open(plan_of({planned_run(7, "h=7"), planned_run(1, "h=2"), planned_run(8, "h=8")}));
  EXPECT_THAT(journal.open_runs(), ElementsAre(0, 2));
  const SweepFile written = read_sweep(journal.file());
  ASSERT_EQ(written.runs.size(), 5U);
  EXPECT_EQ(written.runs[1].status, SweepRunStatus::done);
  EXPECT_EQ(written.runs[3].status, SweepRunStatus::excluded);
  EXPECT_THAT(written.runs[3].reason, HasSubstr("not in the grid any more"));
}

TEST_F(JournalTest, TheCommandIsTheOneThatMadeTheGrid) {
  SweepPlan plan = plan_of_cells(2);
  plan.command = "sweep --jobs 2";
  open(plan);
  plan.command = "sweep --print-commands";
  EXPECT_EQ(open(plan).sweep().command, "sweep --jobs 2");
  plan = plan_of_cells(3);
  plan.command = "sweep of three";
  EXPECT_EQ(open(plan).sweep().command, "sweep of three");
}

TEST_F(JournalTest, AnotherBaseIsRefusedNamingTheKeys) {
  { const Journal journal = open(plan_of_cells(2)); }
  const std::string before = read_file(root_ / "sweep.json");
  SweepPlan plan = plan_of_cells(2);
  plan.base["optimizer"]["lr"] = 0.2;
  EXPECT_THAT(message_of([&] { open(plan); }),
              AllOf(HasSubstr("optimizer.lr: 0.1 there, 0.2 now"), HasSubstr("--out")));
  EXPECT_EQ(read_file(root_ / "sweep.json"), before);
}

TEST_F(JournalTest, ShardsShareTheRunsAndTheFile) {
  Journal first = open(plan_of_cells(5), false, {1, 2}), second = open(plan_of_cells(5), false, {2, 2});
  EXPECT_THAT(first.mine(), ElementsAre(0, 2, 4));
  EXPECT_THAT(second.mine(), ElementsAre(1, 3));
  for (Journal* journal : {&first, &second}) {
    SweepRun run = journal->run(journal->mine()[0]);
    run.status = SweepRunStatus::running;
    journal->update(journal->mine()[0], run);
  }
  const SweepFile written = read_sweep(first.file());
  EXPECT_EQ(written.runs[0].status, SweepRunStatus::running);
  EXPECT_EQ(written.runs[1].status, SweepRunStatus::running);
  EXPECT_EQ(second.run(0).status, SweepRunStatus::running);
  EXPECT_THAT(message_of([&] { open(plan_of_cells(5)); }), HasSubstr("--shard"));
}

TEST_F(JournalTest, AJobHasItsConfigurationOnDisk) {
  Journal journal = open(plan_of_cells(1));
  const Job job = journal.job(0);
  EXPECT_EQ(read_json(job.config)["run_dir"], journal.folder(0).root().string());
  EXPECT_TRUE(std::filesystem::path(job.log).is_absolute());
  const auto written = std::filesystem::last_write_time(job.config);
  EXPECT_EQ(journal.job(0).config, job.config);
  EXPECT_EQ(std::filesystem::last_write_time(job.config), written);
}

TEST_F(JournalTest, WhatAKilledProcessWasWritingIsRemoved) {
  { const Journal journal = open(plan_of_cells(1)); }
  folder_.write("sweep/sweep.json.tmp4711", "{");
  { const Journal journal = open(plan_of_cells(1)); }
  EXPECT_FALSE(std::filesystem::exists(root_ / "sweep.json.tmp4711"));
}

TEST(ParseShard, TakesIOfN) {
  EXPECT_EQ(parse_shard("2/8").index, 2);
  EXPECT_EQ(parse_shard("2/8").count, 8);
  for (const char* bad : {"", "2", "0/4", "5/4", "1/0", "a/b", "1/2/3", "-1/2", "1 /2"})
    EXPECT_THAT(message_of([&] { parse_shard(bad); }), HasSubstr("i/n")) << bad;
}

}  // namespace
}  // namespace mha
