#include "sweep/slurm_launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "base/error.h"
#include "base/file.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using ::testing::StartsWith;
using testing::TemporaryFolder;

Job job(const std::string& id) {
  return {.id = id, .config = "/s w/" + id + ".json", .run_dir = "", .log = "/s w/" + id + ".log", .threads = 2};
}

TEST(SlurmScript, OneElementARun) {
  Job second = job("b");
  second.stop_after = 30;
  const std::string script = slurm_script("/bin/mha-train", {job("a"), second}, 0);
  EXPECT_THAT(slurm_script("m", {job("a"), second}, 3), HasSubstr("--array=0-1%3\n"));
  EXPECT_THAT(script, StartsWith("#!/bin/bash\n#SBATCH --array=0-1\n"));
  for (const char* line : {"#SBATCH --requeue\n", "#SBATCH --cpus-per-task=2\n"}) EXPECT_THAT(script, HasSubstr(line));
  EXPECT_THAT(script, HasSubstr("  0) exec /bin/mha-train --config '/s w/a.json' --resume --wait --threads 2 2>> "
                                "'/s w/a.log' ;;\n"));
  EXPECT_THAT(script, HasSubstr("--stop-after-updates 30 2>> '/s w/b.log'"));
}

TEST(SlurmEnd, ReadsScontrolAndSacct) {
  const auto ended = slurm_end("JobId=3 ArrayJobId=2 JobState=FAILED Reason=NonZeroExitCode ExitCode=3:0 Requeue=1\n");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code, 3);
  EXPECT_FALSE(ended->by_signal);
  EXPECT_EQ(slurm_end("COMPLETED|0:0\n")->exit_code, 0);
  EXPECT_EQ(slurm_end("FAILED|0:9")->exit_code, 137);
  EXPECT_TRUE(slurm_end("FAILED|0:9")->by_signal);
  EXPECT_THAT(slurm_end("TIMEOUT|0:15")->killed_because, HasSubstr("time limit"));
  EXPECT_THAT(slurm_end("CANCELLED by 1000|0:15")->killed_because, HasSubstr("CANCELLED"));
  EXPECT_NE(slurm_end("JobState=OUT_OF_MEMORY ExitCode=0:125")->lacked_memory, "");
  for (const char* nothing : {"", "\n", "slurm_load_jobs error", "JobState=FAILED", "a|b"})
    EXPECT_FALSE(slurm_end(nothing)) << nothing;
}

/// A cluster that does as it is told.
class SlurmLauncherTest : public ::testing::Test {
 protected:
  SlurmLauncher launcher() {
    return SlurmLauncher({.root = folder_.path(),
                          .name = "mha-grid",
                          .program = "/bin/mha-train",
                          .arguments = {"--time=1:00:00", "--mem=2G"},
                          .poll_seconds = 0,
                          .run = [this](const std::vector<std::string>& words) { return answer(words); }});
  }
  ProgramResult answer(const std::vector<std::string>& words) {
    asked_.push_back(shell_quoted(words));
    if (words[0] == "sbatch") return sbatch_;
    if (words[0] == "squeue") return squeue_;
    if (words[0] == "scontrol") return scontrol_;
    if (words[0] == "sacct") return sacct_;
    return {};
  }
  TemporaryFolder folder_;
  std::vector<std::string> asked_;
  ProgramResult sbatch_{0, "77\n", ""}, squeue_{0, "0\n1\n", ""}, sacct_{1, "", "Slurm accounting storage is disabled"},
      scontrol_{0, "JobId=78 JobState=COMPLETED ExitCode=0:0\n", ""};
};

TEST_F(SlurmLauncherTest, SubmitsOnceAndFollows) {
  SlurmLauncher slurm = launcher();
  slurm.start(job("a"));
  slurm.start(job("b"));
  EXPECT_FALSE(slurm.wait(0));
  EXPECT_THAT(asked_[0], AllOf(StartsWith("sbatch --parsable --job-name=mha-grid --output="),
                               HasSubstr("%A_%a.out --time=1:00:00 --mem=2G "), HasSubstr("array-1.sh")));
  EXPECT_THAT(asked_[1], HasSubstr("squeue --noheader --array --jobs 77"));
  squeue_.out = "0\n";
  const auto ended = slurm.wait(0);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->id, "b");
  EXPECT_EQ(ended->exit_code, 0);
  EXPECT_THAT(asked_, Contains(HasSubstr("scontrol --oneliner show job 77_1")));
}

TEST_F(SlurmLauncherTest, ASchedulerThatDoesNotAnswerEndsNothing) {
  SlurmLauncher slurm = launcher();
  slurm.start(job("a"));
  squeue_ = {1, "", "slurm_load_jobs error: Unable to contact slurm controller"};
  EXPECT_FALSE(slurm.wait(0));
  EXPECT_FALSE(slurm.wait(0));
  squeue_ = {1, "", "slurm_load_jobs error: Invalid job id specified"};
  scontrol_ = {1, "", "slurm_load_jobs error: Invalid job id specified"};
  sacct_ = {0, "TIMEOUT|0:0\n", ""};
  const auto ended = slurm.wait(0);
  ASSERT_TRUE(ended);
  EXPECT_THAT(ended->killed_because, HasSubstr("time limit"));
}

TEST_F(SlurmLauncherTest, AnotherProcessFollowsWhatIsInTheQueue) {
  {
    SlurmLauncher slurm = launcher();
    slurm.start(job("a"));
    slurm.start(job("b"));
    slurm.wait(0);
  }
  asked_.clear();
  squeue_.out = "1\n";  // the first has ended meanwhile
  SlurmLauncher slurm = launcher();
  slurm.start(job("b"));
  slurm.wait(0);
  for (const std::string& words : asked_) EXPECT_THAT(words, StartsWith("squeue"));
  slurm.start(job("c"));
  sbatch_.out = "80;cluster\n";
  squeue_.out = "0\n1\n";
  slurm.wait(0);
  EXPECT_THAT(read_file(folder_ / "slurm/array-2.sh"), AllOf(HasSubstr("c.json"), HasSubstr("--array=0-0")));
  slurm.stop(SIGTERM);
  EXPECT_THAT(asked_, Contains("scancel 77_1"));
  EXPECT_THAT(asked_, Contains("scancel 80_0"));
}

TEST_F(SlurmLauncherTest, ARefusalIsTheUsersToPutRight) {
  SlurmLauncher slurm = launcher();
  slurm.start(job("a"));
  sbatch_ = {1, "", "sbatch: error: invalid partition specified: x\n"};
  EXPECT_THAT(message_of([&] { slurm.wait(0); }), HasSubstr("invalid partition specified: x"));
}

TEST_F(SlurmLauncherTest, WhatWasNotSubmittedEndsWithAStop) {
  SlurmLauncher slurm = launcher();
  slurm.start(job("a"));
  slurm.stop(SIGTERM);
  const auto ended = slurm.wait(0);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->killed_because, "not submitted");
  EXPECT_THAT(asked_, ElementsAre());
}

}  // namespace
}  // namespace mha
