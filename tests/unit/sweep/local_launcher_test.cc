#include "sweep/local_launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <memory>

#include <sstream>

#include "base/file.h"
#include "base/system.h"
#include "support/temporary_folder.h"

namespace mha {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

/// A launcher of a script that stands for the trainer; what it does is the file named by --config.
class LocalLauncherTest : public ::testing::Test {
 protected:
  LocalLauncherTest() {
    const auto program = folder_.write("program", "#!/bin/sh\n. \"$2\"\n");
    chmod(program.c_str(), 0755);
    launcher_ = std::make_unique<LocalLauncher>(
        LocalLauncher::Options{.program = program.string(), .oom_kills = [this] { return oom_kills_; }});
  }
  void start(const std::string& id, const std::string& script) {
    launcher_->start({.id = id,
                      .config = folder_.write(id + ".sh", script),
                      .run_dir = "",
                      .log = (folder_ / (id + ".log")).string()});
  }
  EndedJob wait() {
    for (;;) {
      if (const auto ended = launcher_->wait(10)) return *ended;
    }
  }
  TemporaryFolder folder_;
  std::int64_t oom_kills_ = 3;
  std::unique_ptr<LocalLauncher> launcher_;
};

TEST_F(LocalLauncherTest, TellsHowEachEnded) {
  start("code", "exit 3");
  EndedJob ended = wait();
  EXPECT_EQ(ended.id, "code");
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_FALSE(ended.by_signal);
  start("signal", "kill -SEGV $$");
  ended = wait();
  EXPECT_EQ(ended.exit_code, 128 + SIGSEGV);
  EXPECT_TRUE(ended.by_signal);
}

TEST_F(LocalLauncherTest, WritesMessagesToTheLogAndTakesNothingFromTheTerminal) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    start("log", "echo message >&2; echo result; cat; exit 0");
    EXPECT_EQ(wait().exit_code, 0);
  }
  EXPECT_EQ(read_file(folder_ / "log.log"), "message\nmessage\n");
}

TEST_F(LocalLauncherTest, KilledIsForMemoryOnlyIfTheKernelCounted) {
  start("by_hand", "kill -KILL $$");
  EXPECT_EQ(wait().lacked_memory, "");
  start("for_memory", "kill -KILL $$");
  oom_kills_ = 4;
  EXPECT_THAT(wait().lacked_memory, HasSubstr("lack of memory"));
  start("by_hand_later", "kill -KILL $$");
  EXPECT_EQ(wait().lacked_memory, "");
}

TEST_F(LocalLauncherTest, StopReachesEveryProcessInAGroupOfItsOwn) {
  for (const char* id : {"a", "b"}) {
    start(id, "trap 'exit 9' TERM; cut -d ' ' -f 5 /proc/$$/stat > \"$2.group\"; while :; do sleep 0.01; done");
    while (!std::filesystem::exists(folder_ / (std::string(id) + ".sh.group")) ||
           read_file(folder_ / (std::string(id) + ".sh.group")).empty()) {
      EXPECT_FALSE(launcher_->wait(0.01));
    }
    EXPECT_NE(std::stol(read_file(folder_ / (std::string(id) + ".sh.group"))), getpgrp());
  }
  launcher_->stop(SIGTERM);
  EXPECT_EQ(wait().exit_code, 9);
  EXPECT_EQ(wait().exit_code, 9);
}

TEST_F(LocalLauncherTest, ASmallChildOfALargeParentShowsItsOwnPeak) {
  std::vector<char> block(300U << 20U, 1);
  EXPECT_GT(peak_resident_bytes(), 300 << 20);
  start("peak", "grep VmHWM /proc/self/status >&2; exit " + std::to_string(block[1] - 1));
  EXPECT_EQ(wait().exit_code, 0);
  std::int64_t kib = 0;
  std::istringstream(read_file(folder_ / "peak.log").substr(6)) >> kib;
  EXPECT_GT(kib, 0);
  EXPECT_LT(kib, 20 << 10);
}

TEST_F(LocalLauncherTest, AProgramThatIsNotThereIsAnExitCode) {
  LocalLauncher none(LocalLauncher::Options{.program = "/no/such/program", .oom_kills = nullptr});
  none.start({.id = "x", .config = "", .run_dir = "", .log = (folder_ / "x.log").string()});
  std::optional<EndedJob> ended;
  while (!ended) ended = none.wait(1);
  EXPECT_EQ(ended->exit_code, 127);
}

}  // namespace
}  // namespace mha
