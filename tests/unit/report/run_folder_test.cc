#include "report/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "base/error.h"
#include "config/config.h"
#include "report/run_report.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using ::testing::Not;
using testing::TemporaryFolder;

json configuration() {
  return {
      {"name", "a"}, {"threads", 2}, {"optimizer", {{"lr", 0.005}}}, {"train", {{"keep_last", 2}, {"max_update", 10}}}};
}

json with(const char* pointer, const json& value) {
  json out = configuration();
  out[json::json_pointer(pointer)] = value;
  return out;
}

class RunFolderTest : public ::testing::Test {
 protected:
  void finish(RunStatus status) {
    RunReport report;
    report.status = status;
    write_report(report, RunFolder(root_).report());
  }

  TemporaryFolder folder_;
  std::filesystem::path root_ = folder_ / "runs/a";
};

TEST(RunIdentity, LeavesOutWhatDoesNotChangeTheResult) {
  for (const char* neutral : {"/name", "/threads", "/train/keep_last"}) {
    EXPECT_EQ(config_hash(with(neutral, 99)), config_hash(configuration())) << neutral;
  }
  EXPECT_NE(config_hash(with("/optimizer/lr", 0.001)), config_hash(configuration()));
  EXPECT_NE(config_hash(with("/train/max_update", 11)), config_hash(configuration()));
}

TEST(RunIdentity, DoesNotDependOnTheOrderOfKeys) {
  EXPECT_EQ(config_hash({{"a", 1}, {"b", {{"c", 2}, {"d", 3}}}}), config_hash({{"b", {{"d", 3}, {"c", 2}}}, {"a", 1}}));
}

TEST(RunIdentity, NeutralKeysAreKeysOfTheConfiguration) {
  const json resolved = config_to_json(RunConfig{});
  for (const auto& key : neutral_keys()) {
    std::string pointer = "/" + std::string(key.path);
    std::ranges::replace(pointer, '.', '/');
    EXPECT_TRUE(resolved.contains(json::json_pointer(pointer))) << key.path;
  }
}

TEST(RunIdentity, NamesTheDefaultFolder) {
  EXPECT_EQ(default_run_dir("quick", configuration()), "runs/quick-" + config_hash(configuration()).substr(0, 8));
}

TEST_F(RunFolderTest, IsMadeWithItsConfiguration) {
  const OpenRunFolder run(root_, configuration());
  EXPECT_EQ(run.state_at_open(), RunState::fresh);
  EXPECT_EQ(read_json(run.config()), configuration());
  EXPECT_TRUE(std::filesystem::is_directory(run.checkpoints()));
  EXPECT_TRUE(std::filesystem::is_directory(run.hypotheses()));
}

TEST_F(RunFolderTest, OnlyOneProcessMayUseIt) {
  const auto open = [&] { OpenRunFolder(root_, configuration()); };
  {
    const OpenRunFolder first(root_, configuration());
    EXPECT_THAT(message_of(open), AllOf(HasSubstr("another process uses"), HasSubstr(root_.string())));
  }
  EXPECT_NO_THROW(open());
}

TEST_F(RunFolderTest, WhoeverWaitsFindsWhatTheOtherProcessLeft) {
  auto other = std::make_unique<OpenRunFolder>(root_, configuration());
  std::thread waiting([&] {
    const OpenRunFolder run(root_, configuration(), true);
    EXPECT_EQ(run.state_at_open(), RunState::finished);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  finish(RunStatus::completed);
  other.reset();
  waiting.join();
}

TEST_F(RunFolderTest, WithACheckpointItIsHalfDone) {
  { const OpenRunFolder run(root_, configuration()); }
  write_file(root_ / "checkpoints/state.safetensors.tmp12", "");
  EXPECT_EQ(OpenRunFolder(root_, configuration()).state_at_open(), RunState::fresh);
  write_file(root_ / "checkpoints/state.safetensors", "");
  EXPECT_EQ(OpenRunFolder(root_, configuration()).state_at_open(), RunState::half_done);
  finish(RunStatus::interrupted);
  EXPECT_EQ(OpenRunFolder(root_, configuration()).state_at_open(), RunState::half_done);
}

TEST_F(RunFolderTest, FilesThatAreNotOfARunAreLeftAlone) {
  for (const char* name : {"config.json", "events.jsonl", "report.json", "vocab.joint.model"}) {
    const auto file = folder_.write("mine/" + std::string(name), "mine");
    EXPECT_THAT(message_of([&] { OpenRunFolder(folder_ / "mine", configuration()); }),
                AllOf(HasSubstr("holds a " + std::string(name)), HasSubstr("choose another run_dir")));
    EXPECT_EQ(read_file(file), "mine");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "mine/lock"));
    std::filesystem::remove(file);
  }
  const auto other = folder_.write("mine/notes.tmp12", "mine");
  EXPECT_EQ(OpenRunFolder(folder_ / "mine", configuration()).state_at_open(), RunState::fresh);
  EXPECT_EQ(read_file(other), "mine");
}

TEST_F(RunFolderTest, WhatAKilledProcessWasWritingIsRemoved) {
  { const OpenRunFolder run(root_, configuration()); }
  for (const char* name :
       {"report.json.tmp1", "checkpoints/state-0000001.safetensors.tmp4711", "hypotheses/test.txt.tmp9"}) {
    write_file(root_ / name, "half");
  }
  for (const char* name : {"notes.tmp", "x.tmp1a", "12"}) write_file(root_ / name, "kept");
  { const OpenRunFolder again(root_, configuration()); }
  EXPECT_TRUE(std::filesystem::is_empty(root_ / "checkpoints"));
  EXPECT_TRUE(std::filesystem::is_empty(root_ / "hypotheses"));
  EXPECT_FALSE(std::filesystem::exists(root_ / "report.json.tmp1"));
  for (const char* name : {"notes.tmp", "x.tmp1a", "12"}) EXPECT_EQ(read_file(root_ / name), "kept");
}

TEST_F(RunFolderTest, ACheckpointsFolderThatCannotBeReadIsNotAnEmptyOne) {
  { const OpenRunFolder run(root_, configuration()); }
  std::filesystem::remove(root_ / "checkpoints");
  write_file(root_ / "checkpoints", "no folder");
  EXPECT_THAT(message_of([&] { OpenRunFolder(root_, configuration()); }),
              AllOf(HasSubstr("cannot look into"), HasSubstr("checkpoints")));
}

TEST_F(RunFolderTest, AFinishedRunStaysAsItIs) {
  { const OpenRunFolder run(root_, configuration()); }
  finish(RunStatus::completed);
  std::filesystem::remove(root_ / "hypotheses");
  const OpenRunFolder again(root_, with("/threads", 1));
  EXPECT_EQ(again.state_at_open(), RunState::finished);
  EXPECT_FALSE(std::filesystem::exists(again.hypotheses()));
  EXPECT_EQ(read_json(again.config()), configuration());
  EXPECT_THAT(finished_message(again),
              AllOf(HasSubstr(root_.string() + " is finished"), HasSubstr("nothing was changed")));
}

TEST_F(RunFolderTest, AnotherConfigurationIsRefusedWithTheKeysThatDiffer) {
  { const OpenRunFolder run(root_, configuration()); }
  write_file(root_ / "checkpoints/state.safetensors", "");
  json other = with("/optimizer/lr", 0.001);
  other["threads"] = 1;
  other["train"]["patience"] = 3;
  EXPECT_THAT(
      message_of([&] { OpenRunFolder(root_, other); }),
      AllOf(HasSubstr(root_.string()), HasSubstr("optimizer.lr: 0.005 there, 0.001 now"),
            HasSubstr("train.patience: absent there, 3 now"), Not(HasSubstr("threads")), HasSubstr("choose another")));
}

TEST_F(RunFolderTest, WithoutACheckpointAnotherConfigurationTakesTheFolder) {
  { const OpenRunFolder run(root_, configuration()); }
  finish(RunStatus::failed);
  const OpenRunFolder other(root_, with("/optimizer/lr", 0.001));
  EXPECT_EQ(other.state_at_open(), RunState::fresh);
  EXPECT_EQ(read_json(other.config()), with("/optimizer/lr", 0.001));
}

TEST_F(RunFolderTest, ReadingTouchesNothing) {
  const RunFolder run(root_);
  EXPECT_EQ(run.state(), RunState::fresh);
  EXPECT_NO_THROW(run.check_same_run(configuration()));
  EXPECT_FALSE(std::filesystem::exists(root_));
}

}  // namespace
}  // namespace mha
