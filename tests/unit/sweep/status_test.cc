#include "sweep/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "sweep_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::leave_report;
using ::testing::Not;
using testing::plan_of_cells;
using ::testing::StartsWith;
using testing::TemporaryFolder;

SweepView sample() {
  SweepView view;
  view.done = 3;
  view.bad = 1;
  view.total = 12;
  view.share = 0.5;
  view.seconds_left = 125;
  view.best = "h=2 seed 1, BLEU 20.00";
  SweepView::Line line;
  line.label = "h=8,d_k=64 seed 1";
  line.progress.num_updates = 400;
  line.progress.max_update = 1200;
  line.nll = 2.5;
  view.running = {line};
  return view;
}

TEST(StatusLines, ALineARunningCellABarAndTheBest) {
  const std::vector<std::string> lines = status_lines(sample(), 100);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[0], AllOf(StartsWith("h=8,d_k=64 seed 1 "), HasSubstr("update 400/1,200 (33 %)"),
                              HasSubstr("valid nll 2.500")));
  EXPECT_EQ(lines[1], "[############............] 3/12 done, 1 failed, ETA 2:05");
  EXPECT_EQ(lines[2], "best so far: h=2 seed 1, BLEU 20.00");
}

TEST(StatusLines, AreFewWhateverRuns) {
  SweepView view = sample();
  view.running.resize(40, view.running.front());
  const std::vector<std::string> lines = status_lines(view, 100);
  EXPECT_LE(lines.size(), 18U);  // a terminal of 20 rows can take them back
  EXPECT_THAT(lines, ::testing::Contains("and 25 more"));
}

TEST(StatusLines, FitTheTerminal) {
  for (const int width : {1, 10, 40, 79, 200}) {
    for (const std::string& line : status_lines(sample(), width))
      EXPECT_LE(line.size(), static_cast<std::size_t>(width));
  }
}

class StatusPrinterTest : public ::testing::Test {
 protected:
  StatusPrinterTest() : stream_(std::tmpfile()), journal_(folder_ / "sweep", plan_of_cells(2), {}) {}
  ~StatusPrinterTest() override { std::fclose(stream_); }
  std::string drawn() {
    std::string text(static_cast<std::size_t>(std::ftell(stream_)), '\0');
    std::rewind(stream_);
    text.resize(std::fread(text.data(), 1, text.size(), stream_));
    return text;
  }
  void set(std::size_t run, SweepRunStatus status) {
    SweepRun changed = journal_.run(run);
    changed.status = status;
    changed.attempts = 1;
    journal_.update(run, changed);
  }
  TemporaryFolder folder_;
  std::FILE* stream_;
  Journal journal_;
};

TEST_F(StatusPrinterTest, OnATerminalItShowsHowFarEachRunIs) {
  StatusPrinter printer(journal_, {.stream = stream_, .terminal = true, .width = 100});
  set(0, SweepRunStatus::running);
  printer.started(0);
  make_directories(journal_.folder(0).root());
  write_file(journal_.folder(0).events(),
             "{\"event\":\"validation\",\"nll_loss\":3.25,\"num_updates\":40}\n"
             "{\"event\":\"train\",\"num_updates\":45,\"loss\":2.0,\"epoch\":1}\n"
             "{\"event\":\"train\",\"num_up");
  printer.tick();
  const std::string text = drawn();
  EXPECT_THAT(text, AllOf(HasSubstr("h=1 seed 1"), HasSubstr("update 45/90 (50 %)"), HasSubstr("valid nll 3.250"),
                          HasSubstr("0/2 done")));
  EXPECT_THAT(text, HasSubstr("[######......"));  // a quarter of the two
}

TEST_F(StatusPrinterTest, OffATerminalItDrawsNothing) {
  StatusPrinter printer(journal_, {.stream = stream_, .terminal = false, .width = 0});
  set(0, SweepRunStatus::running);
  printer.started(0);
  printer.tick();
  EXPECT_EQ(drawn(), "");
}

TEST_F(StatusPrinterTest, TheBestIsKeptWhateverComesAfter) {
  StatusPrinter printer(journal_, {.stream = stream_, .terminal = true, .width = 100});
  for (const std::size_t run : {0U, 1U}) {
    Outcome outcome{SweepRunStatus::done, "", RunReport{}};
    outcome.report->test.emplace();
    outcome.report->test->bleu = {{"score", run == 0 ? 20.0 : 10.0}};
    set(run, SweepRunStatus::done);
    printer.ended(run, outcome);
  }
  printer.tick();
  EXPECT_THAT(drawn(), AllOf(HasSubstr("best so far: h=1 seed 1, BLEU 20.00"), HasSubstr("2/2 done")));
}

TEST(ResultOf, IsTheReasonOfWhatCameToNothing) {
  EXPECT_EQ(result_of({SweepRunStatus::failed, "why", std::nullopt}), "why");
  Outcome done{SweepRunStatus::done, "", RunReport{}};
  EXPECT_THAT(result_of(done), Not(HasSubstr("BLEU")));  // a run without a test split, or with a null score
}

}  // namespace
}  // namespace mha
