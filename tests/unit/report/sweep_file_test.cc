#include "report/sweep_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

SweepFile sample() {
  SweepFile sweep;
  sweep.name = "grid";
  sweep.hold = "nothing";
  sweep.baseline = "h=1";
  sweep.base = {{"seed", 1}};
  sweep.axes = {{"h", {1, 2}}, {"seed", {1}}};
  SweepRun run;
  run.id = "0123456789ab";
  run.cell = "h=1";
  run.point = {{"h", 1}};
  run.status = SweepRunStatus::out_of_memory;
  run.reason = "no memory left";
  run.exit_code = 1;
  run.cost.parameters = 12;
  sweep.runs = {run, SweepRun{}};
  return sweep;
}

TEST(SweepFile, ReadsWhatItWrites) {
  const TemporaryFolder folder;
  write_sweep(sample(), folder / "sweep.json");
  const SweepFile read = read_sweep(folder / "sweep.json");
  EXPECT_EQ(sweep_to_json(read), sweep_to_json(sample()));
  EXPECT_EQ(read.runs[0].status, SweepRunStatus::out_of_memory);
  EXPECT_EQ(read.runs[0].exit_code, 1);
  EXPECT_FALSE(read.runs[1].exit_code);
}

TEST(SweepFile, WhatIsNotKnownIsNullAndReadAsNaN) {
  const json written = sweep_to_json(sample());
  EXPECT_TRUE(written["runs"][0]["cost"]["seconds"].is_null());
  EXPECT_TRUE(std::isnan(sweep_from_json(written, "x").runs[0].cost.seconds));
}

TEST(SweepFile, NamesTheFileAndTheKeyOfWhatItCannotRead) {
  json other = sweep_to_json(sample());
  other["format"] = "mha-train/report";
  EXPECT_THAT(message_of([&] { sweep_from_json(other, "a/sweep.json"); }),
              AllOf(HasSubstr("a/sweep.json"), HasSubstr("not the file of a sweep")));
  json newer = sweep_to_json(sample());
  newer["format_version"] = 2;
  EXPECT_THAT(message_of([&] { sweep_from_json(newer, "f"); }), HasSubstr("format_version 2, this program reads 1"));
  json wrong = sweep_to_json(sample());
  wrong["runs"][1]["status"] = "lost";
  EXPECT_THAT(message_of([&] { sweep_from_json(wrong, "f"); }),
              AllOf(HasSubstr("runs[1].status"), HasSubstr("\"lost\"")));
}

TEST(SweepFile, SchemaNamesEveryKeyAndStatus) {
  const json schema = sweep_schema();
  EXPECT_EQ(schema["properties"]["format"]["const"], "mha-train/sweep");
  for (const auto& [key, value] : sweep_to_json(sample()).items()) EXPECT_TRUE(schema["properties"].contains(key)) << key;
  EXPECT_EQ(schema["properties"]["runs"]["items"]["properties"]["status"]["enum"].size(), 10U);
}

}  // namespace
}  // namespace mha
