#include "analysis/gate_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/field_json.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"
#include "unit/analysis/gate_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

std::string refusal(const std::filesystem::path& given) {
  return message_of([&] { read_gate_side(given); });
}

TEST(GateSide, ReadsARunFolderAndItsReportAlike) {
  const TemporaryFolder folder;
  RunReport report = scored_report();
  report.test->hypotheses = "hypotheses/test.txt";
  write_report(report, folder / "report.json");
  const auto hypotheses = folder.write("hypotheses/test.txt", "x\n");
  for (const auto& given : {folder.path(), folder / "report.json"}) {
    const GateSide side = read_gate_side(given);
    EXPECT_EQ(side.origin, given.string());
    EXPECT_EQ(side.card.figures.at("bleu").value, 30.3);
    EXPECT_EQ(side.hypotheses, hypotheses);
    EXPECT_EQ(side.bleu.at("tok"), "13a");
    EXPECT_EQ(side.trouble, "");
  }
  std::filesystem::remove(hypotheses);
  EXPECT_EQ(read_gate_side(folder.path()).hypotheses, "");
}

TEST(GateSide, ReadsABaseline) {
  const TemporaryFolder folder;
  const auto file = folder.write("b.json", dump_json(baseline_to_json(scorecard_of(scored_report()))));
  EXPECT_EQ(read_gate_side(file).card.figures.at("wps").value, 20000);
  EXPECT_TRUE(read_gate_side(file).hypotheses.empty());
}

TEST(GateSide, ReadsTheOutputOfEval) {
  const TemporaryFolder folder;
  TestReport test = *scored_report().test;
  test.hypotheses = folder.write("h.txt", "x\n").string();
  json out = {{"test", field_to_json(test)}, {"phenomena", json::array()}};
  const GateSide side = read_gate_side(folder.write("eval.json", dump_json(out)));
  EXPECT_EQ(side.card.figures.at("chrf").value, 55.0);
  EXPECT_EQ(side.hypotheses, test.hypotheses);
  out["test"].erase("source_hash");  // an older mha-train
  EXPECT_EQ(read_gate_side(folder.write("older.json", dump_json(out))).card.test->source_hash, "");
}

TEST(GateSide, ARunThatDidNotCompleteIsInTrouble) {
  const TemporaryFolder folder;
  RunReport report = scored_report();
  report.status = RunStatus::diverged;
  report.reason = "the loss is not finite";
  report.test.reset();
  write_report(report, folder / "report.json");
  const GateSide side = read_gate_side(folder.path());
  EXPECT_EQ(side.trouble, "the run is not complete but diverged (the loss is not finite)");
  EXPECT_THAT(message_of([&] { baseline_of(side); }), HasSubstr("no baseline for others"));
}

TEST(GateSide, NullScoresAreReadAsNotKnown) {
  const TemporaryFolder folder;
  json in = report_to_json(scored_report());
  for (const char* key : {"bleu", "chrf", "chrf_plus_plus", "nll_loss", "ppl"}) in["test"][key] = nullptr;
  in["throughput"]["wps"] = nullptr;
  const GateSide side = read_gate_side(folder.write("report.json", dump_json(in)));
  EXPECT_TRUE(std::isnan(side.card.figures.at("bleu").value));
  EXPECT_TRUE(std::isnan(side.card.figures.at("wps").value));
  EXPECT_THAT(message_of([&] { baseline_of(side); }), HasSubstr("bleu is not known"));
}

TEST(GateSide, WhatIsNoneOfTheseIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal(folder / "absent.json"), HasSubstr("absent.json"));
  EXPECT_THAT(refusal(folder.path()), HasSubstr("has no report.json: is it a run folder?"));
  for (const char* text : {"[]", "{}", "3", R"({"format":"mha-train/sweep"})", R"({"test":3})"})
    EXPECT_THAT(refusal(folder.write("other.json", text)), AllOf(HasSubstr("other.json"), HasSubstr("neither")));
  EXPECT_THAT(refusal(folder.write("nan.json", R"({"format": NaN})")), HasSubstr("nan.json"));
  EXPECT_THAT(refusal(folder.write("later.json", R"({"format":"mha-train/report","format_version":99})")),
              HasSubstr("use a newer mha-train"));
}

TEST(Baseline, IsMadeOfACompleteRunOnly) {
  EXPECT_EQ(baseline_of(base_side()).figures.size(), gate_metrics().size());
  RunReport report = scored_report();
  report.test.reset();
  EXPECT_THAT(message_of([&] { baseline_of(side_of(report)); }), HasSubstr("has no test split"));
}

}  // namespace
}  // namespace mha
