#include "sweep/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "sweep_testing.h"

namespace mha {
namespace {

using ::testing::HasSubstr;
using testing::leave_report;
using testing::TemporaryFolder;

class OutcomeTest : public ::testing::Test {
 protected:
  Outcome of(int exit_code, bool by_signal = false, const std::string& log = "") const {
    EndedJob ended;
    ended.exit_code = exit_code;
    ended.by_signal = by_signal;
    return judge(run_, ended, log);
  }
  TemporaryFolder folder_;
  RunFolder run_{folder_ / "run"};
};

TEST_F(OutcomeTest, ACompletedReportDecidesWhateverElseHappened) {
  leave_report(run_, RunStatus::completed, "", 0);
  EXPECT_EQ(of(0).status, SweepRunStatus::done);
  EXPECT_EQ(of(137, true).status, SweepRunStatus::done);  // killed after its report
  EXPECT_EQ(judge_folder(run_).status, SweepRunStatus::done);
}

TEST_F(OutcomeTest, TheReportGivesTheReason) {
  leave_report(run_, RunStatus::diverged, "the loss is not finite", 3);
  EXPECT_EQ(of(3).status, SweepRunStatus::diverged);
  EXPECT_EQ(of(3).reason, "the loss is not finite");
  leave_report(run_, RunStatus::interrupted, "interrupted by signal 15", 143);
  EXPECT_EQ(of(143).status, SweepRunStatus::interrupted);
  leave_report(run_, RunStatus::failed, "data.train: no usable pair", 2);
  EXPECT_EQ(of(2).status, SweepRunStatus::failed);
  leave_report(run_, RunStatus::failed, "DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes", 1);
  EXPECT_EQ(of(1).status, SweepRunStatus::out_of_memory);
  EXPECT_EQ(judge_folder(run_).status, SweepRunStatus::out_of_memory);
}

TEST_F(OutcomeTest, AReportOfAnEarlierProcessSaysNothing) {
  leave_report(run_, RunStatus::interrupted, "interrupted by signal 15", 143);
  EXPECT_EQ(of(137, true).status, SweepRunStatus::failed);
  EXPECT_THAT(of(137, true).reason, HasSubstr("killed by signal 9"));
}

TEST_F(OutcomeTest, WithoutAReportTheProcessAndItsLogTell) {
  EXPECT_THAT(of(139, true).reason, HasSubstr("signal 11"));
  EXPECT_EQ(of(128 + SIGTERM).status, SweepRunStatus::interrupted);        // a second signal
  EXPECT_EQ(of(128 + SIGTERM, true).status, SweepRunStatus::interrupted);  // before it could catch any
  const std::string log = "10:00:00 info training an error model\n10:00:01 error cannot read x\nsecond line\n";
  EXPECT_EQ(of(2, false, log).status, SweepRunStatus::failed);
  EXPECT_EQ(of(2, false, log).reason, "cannot read x\nsecond line");
  EXPECT_EQ(of(1, false, "10:00:01 error internal error: std::bad_alloc\n").status, SweepRunStatus::out_of_memory);
  EXPECT_EQ(of(134, true, "terminate called\nwhat(): std::bad_alloc\n").status, SweepRunStatus::out_of_memory);
  EXPECT_THAT(of(5).reason, HasSubstr("returned 5"));
}

TEST_F(OutcomeTest, WhoeverKilledItMayKnowWhy) {
  EndedJob ended;
  ended.exit_code = 137;
  ended.by_signal = true;
  ended.lacked_memory = "killed for lack of memory";
  EXPECT_EQ(judge(run_, ended, "").status, SweepRunStatus::out_of_memory);
  ended.lacked_memory = "";
  ended.killed_because = "time limit";
  EXPECT_EQ(judge(run_, ended, "").status, SweepRunStatus::interrupted);
  EXPECT_EQ(judge(run_, ended, "").reason, "time limit");
  leave_report(run_, RunStatus::completed, "", 0);
  EXPECT_EQ(judge(run_, ended, "").status, SweepRunStatus::done);
}

TEST_F(OutcomeTest, AnUnknownExitCodeLeavesItToTheFolder) {
  EXPECT_EQ(judge(run_, EndedJob{}, "").status, SweepRunStatus::failed);
  leave_report(run_, RunStatus::diverged, "why", 3);
  EXPECT_EQ(judge(run_, EndedJob{}, "").status, SweepRunStatus::diverged);
}

TEST_F(OutcomeTest, AFolderTellsWhatWasBegun) {
  EXPECT_EQ(judge_folder(run_).status, SweepRunStatus::pending);
  folder_.write("run/config.json", "{}");
  EXPECT_EQ(judge_folder(run_).status, SweepRunStatus::interrupted);
  folder_.write("run/report.json", "{\"format\": ");  // damaged
  EXPECT_EQ(judge_folder(run_).status, SweepRunStatus::interrupted);
}

TEST(LastError, IsTheLastLineIfNoneIsMarked) {
  EXPECT_EQ(last_error(""), "");
  EXPECT_EQ(last_error("one\ntwo\n\n"), "two");
  EXPECT_EQ(last_error("10:00:00 error first\n10:00:09 error last\n"), "last");
  EXPECT_EQ(last_error("10:00:00 error it was an error indeed\n"), "it was an error indeed");
  EXPECT_EQ(last_error(std::string(2000, 'x')).size(), 500U);
}

}  // namespace
}  // namespace mha
