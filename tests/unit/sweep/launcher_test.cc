#include "sweep/launcher.h"

#include <gtest/gtest.h>

#include "sweep/program.h"

namespace mha {
namespace {

TEST(TrainCommand, ResumesAndWaits) {
  Job job{.id = "a", .config = "c.json", .run_dir = "r", .log = "l", .threads = 3};
  EXPECT_EQ(shell_quoted(train_command("mha-train", job)), "mha-train --config c.json --resume --wait --threads 3");
  job.stop_after = 40;
  EXPECT_EQ(shell_quoted(train_command("mha-train", job)),
            "mha-train --config c.json --resume --wait --threads 3 --stop-after-updates 40");
}

TEST(ShellQuoted, AShellReadsTheWordsBack) {
  const std::vector<std::string> words = {"a b", "it's", "$HOME `x` \"y\"", "", "plain-1.0=x/y", "*", "new\nline", "ü"};
  const ProgramResult read = run_program({"sh", "-c", "printf '<%s>' " + shell_quoted(words)});
  std::string expected;
  for (const std::string& word : words) expected += "<" + word + ">";
  EXPECT_EQ(read.out, expected);
}

TEST(RunProgram, GivesOutputAndExitCode) {
  const ProgramResult result = run_program({"sh", "-c", "echo out; echo err >&2; exit 7"});
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).exit_code, 137);
  EXPECT_EQ(run_program({"no-such-program-here"}).exit_code, 127);
}

}  // namespace
}  // namespace mha
