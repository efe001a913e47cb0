#include "report/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

namespace mha {
namespace {

using testing::HasSubstr;
using testing::Not;

Progress half_way() {
  return {.epoch = 3,
          .num_updates = 1234,
          .max_update = 12000,
          .loss = 4.21734,
          .ppl = 18.6,
          .lr = 5e-4,
          .gnorm = 1.25,
          .wps = 12345.6,
          .seconds_left = 245};
}

/// What the calls leave in the stream.
std::string written(bool terminal, const std::function<void(ProgressLine&)>& calls) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::tmpfile(), &std::fclose);
  {
    ProgressLine line(stream.get(), terminal, 40);
    calls(line);
  }
  std::string out(static_cast<std::size_t>(std::ftell(stream.get())), '\0');
  std::rewind(stream.get());
  EXPECT_EQ(std::fread(out.data(), 1, out.size(), stream.get()), out.size());
  return out;
}

TEST(FormatProgress, ShowsEverythingWhereThereIsRoom) {
  EXPECT_EQ(
      format_progress(half_way()),
      "update 1,234/12,000 (10 %) | ETA 4:05 | epoch 3 | loss 4.217 | ppl 18.6 | wps 12,346 | lr 0.0005 | gnorm 1.25");
}

TEST(FormatProgress, UnknownNumbersAreDashes) {
  EXPECT_EQ(format_progress({.epoch = 1, .num_updates = 5}),
            "update 5 | epoch 1 | loss - | ppl - | wps - | lr - | gnorm -");
}

TEST(FormatProgress, LeavesOutTheLeastImportantFirst) {
  EXPECT_EQ(format_progress(half_way(), 60), "update 1,234/12,000 (10 %) | ETA 4:05 | epoch 3 | loss 4.217");
  EXPECT_EQ(format_progress(half_way(), 59), "update 1,234/12,000 (10 %) | ETA 4:05 | epoch 3");
  EXPECT_EQ(format_progress(half_way(), 6), "update");
}

TEST(FormatProgress, IsNeverWiderThanAsked) {
  for (int width = 1; width < 130; ++width) {
    EXPECT_LE(format_progress(half_way(), width).size(), static_cast<std::size_t>(width));
  }
}

TEST(ProgressLine, OffATerminalWritesWholeLinesWithoutControlCodes) {
  const std::string out = written(false, [](ProgressLine& line) {
    line.live(half_way());
    line.line(half_way());
    line.clear();
    line.live(half_way());
  });
  EXPECT_EQ(out, format_progress(half_way()) + "\n");
}

TEST(ProgressLine, OnATerminalRewritesOneLineAndTakesItAway) {
  const std::string out = written(true, [](ProgressLine& line) {
    line.line(half_way());
    line.line(half_way());
  });
  const std::string drawn = "\r\x1b[K" + format_progress(half_way(), 39);
  EXPECT_EQ(out, drawn + drawn + "\r\x1b[K");
}

TEST(ProgressLine, OnATerminalRedrawsAtMostTenTimesASecond) {
  const std::string out = written(true, [](ProgressLine& line) {
    for (int i = 0; i < 100; ++i) line.live(half_way());
  });
  EXPECT_LT(std::count(out.begin(), out.end(), '\r'), 50);
  EXPECT_GE(std::count(out.begin(), out.end(), '\r'), 2);
}

TEST(ProgressLine, IsDrawnAgainAfterALogLine) {
  const std::string out = written(true, [](ProgressLine& line) {
    line.live(half_way());
    line.clear();
    line.live(half_way());
  });
  EXPECT_EQ(std::count(out.begin(), out.end(), '\r'), 4);
}

}  // namespace
}  // namespace mha
