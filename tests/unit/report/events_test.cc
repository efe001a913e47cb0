#include "report/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"
#include "unit/report/file_size_limit.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

SkippedUpdate skipped(std::int64_t update) { return {.num_updates = update, .epoch = 1, .reason = "the loss"}; }

std::vector<std::int64_t> skipped_updates(const std::filesystem::path& file) {
  std::vector<std::int64_t> out;
  for (const Event& event : read_events(file)) out.push_back(std::get<SkippedUpdate>(event.body).num_updates);
  return out;
}

class EventLogTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "events.jsonl";
};

TEST_F(EventLogTest, EveryKindSurvivesWritingAndReading) {
  EventLog log(file_);
  log.write(RunStart{.version = "0.1.0", .commit = "abc", .config_hash = "00", .seed = 4294967295, .num_params = 3});
  log.write(TrainPoint{.num_updates = 50, .loss = 2.5, .ppl = INFINITY});
  log.write(ValidationPoint{.num_updates = 50, .bleu = 12.25, .best = true});
  log.write(CheckpointRecord{.kind = CheckpointKind::snapshot, .file = "checkpoints/a", .num_updates = 50, .bytes = 9});
  log.write(skipped(51));
  log.write(RunEnd{.status = RunStatus::interrupted, .reason = "signal 15", .num_updates = 51});

  const std::vector<Event> events = read_events(file_);
  ASSERT_EQ(events.size(), 6U);
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].kind(), static_cast<EventKind>(i));
  EXPECT_EQ(std::get<RunStart>(events[0].body).seed, 4294967295);
  EXPECT_EQ(std::get<TrainPoint>(events[1].body).loss, 2.5);
  EXPECT_TRUE(std::isnan(std::get<TrainPoint>(events[1].body).ppl));
  EXPECT_EQ(std::get<ValidationPoint>(events[2].body).bleu, 12.25);
  EXPECT_EQ(std::get<CheckpointRecord>(events[3].body).kind, CheckpointKind::snapshot);
  EXPECT_EQ(std::get<RunEnd>(events[5].body).status, RunStatus::interrupted);
}

TEST_F(EventLogTest, NamesAndTypesOfEventsBelongTogether) {
  EventLog log(file_);
  log.write(TrainPoint{});
  EXPECT_THAT(read_file(file_), ::testing::StartsWith(R"({"event":"train","time":"20)"));
}

TEST_F(EventLogTest, IsInTheFileAtOnce) {
  EventLog log(file_);
  log.write(skipped(1));
  EXPECT_EQ(skipped_updates(file_), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(log.position(), static_cast<std::int64_t>(std::filesystem::file_size(file_)));
}

TEST_F(EventLogTest, AResumedRunGoesOnWhereItsCheckpointWasMade) {
  std::int64_t position = 0;
  {
    EventLog log(file_);
    log.write(skipped(1));
    position = log.position();
    log.write(skipped(2));
    log.write(skipped(3));
  }
  EventLog log(file_);
  log.truncate_to(position);
  log.write(skipped(4));
  EXPECT_EQ(skipped_updates(file_), (std::vector<std::int64_t>{1, 4}));
}

TEST_F(EventLogTest, RefusesAFileThatIsShorterThanTheCheckpointKnows) {
  EventLog log(file_);
  EXPECT_THAT(message_of([&] { log.truncate_to(10); }),
              AllOf(HasSubstr(file_.string()), HasSubstr("has 0 bytes"), HasSubstr("it had 10")));
}

TEST_F(EventLogTest, AHalfLastLineIsLeftOutAndThenTakenOff) {
  EventLog(file_).write(skipped(1));
  const std::string whole = read_file(file_);
  write_file(file_, whole + whole.substr(0, 20));
  EXPECT_EQ(skipped_updates(file_), (std::vector<std::int64_t>{1}));
  EventLog(file_).write(skipped(2));
  EXPECT_EQ(skipped_updates(file_), (std::vector<std::int64_t>{1, 2}));
}

TEST_F(EventLogTest, ReaderNamesTheLineThatIsNotAnEvent) {
  EventLog(file_).write(skipped(1));
  const std::string good = read_file(file_);
  const auto refusal = [&](const std::string& line) {
    write_file(file_, good + line + "\n");
    return message_of([&] { read_events(file_); });
  };
  EXPECT_THAT(refusal("{"), AllOf(HasSubstr(file_.string() + ", line 2"), HasSubstr("not valid JSON")));
  EXPECT_THAT(refusal(R"({"event":"trian","time":"x"})"), HasSubstr("unknown value \"trian\""));
  EXPECT_THAT(refusal(R"({"event":"train"})"), HasSubstr("has no \"time\""));
  EXPECT_THAT(refusal(R"({"event":"skipped_update","time":"x","num_updates":1,"epoch":1})"),
              HasSubstr("reason is missing"));
  EXPECT_THAT(refusal("3"), HasSubstr("has no \"event\""));
}

TEST_F(EventLogTest, AFullDiskIsAnErrorAndLeavesWholeLines) {
  EventLog log(file_);
  log.write(skipped(1));
  std::string message;
  {
    const FileSizeLimit limit(static_cast<rlim_t>(log.position()) + 10);
    message = message_of([&] { log.write(skipped(2)); });
  }
  EXPECT_THAT(message, AllOf(HasSubstr("cannot write " + file_.string()), HasSubstr("File too large")));
  EXPECT_EQ(static_cast<std::int64_t>(std::filesystem::file_size(file_)), log.position());
  log.write(skipped(3));
  EXPECT_EQ(skipped_updates(file_), (std::vector<std::int64_t>{1, 3}));
}

TEST(AddEvents, MakesTheCurveOfAReport) {
  const std::vector<Event> events = {
      {"t", RunStart{}},
      {"t", TrainPoint{.num_updates = 50}},
      {"t", ValidationPoint{.num_updates = 50, .nll_loss = 3, .bleu = 10.0, .best = true}},
      {"t", skipped(60)},
      {"t", TrainPoint{.num_updates = 100}},
      {"t", ValidationPoint{.num_updates = 100, .nll_loss = 4, .bleu = 9.0}}};
  TrainingReport training;
  add_events(events, "bleu", training);
  ASSERT_EQ(training.curve.size(), 2U);
  EXPECT_EQ(training.curve[1].num_updates, 100);
  EXPECT_EQ(training.validations.size(), 2U);
  EXPECT_EQ(training.skipped_updates.size(), 1U);
  ASSERT_TRUE(training.best);
  EXPECT_EQ(training.best->num_updates, 50);
  EXPECT_EQ(training.best->value, 10.0);
}

}  // namespace
}  // namespace mha
