#include "report/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"
#include "unit/report/sample_report.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

json sample_json() { return parse_json(dump_json(report_to_json(sample_report())), "sample"); }

std::string refusal(const json& in) {
  return message_of([&] { report_from_json(in, "x/report.json"); });
}

TEST(RunReport, SurvivesWritingAndReading) {
  const TemporaryFolder folder;
  write_report(sample_report(), folder / "report.json");
  const RunReport read = read_report(folder / "report.json");
  EXPECT_EQ(report_to_json(read), sample_json());
  EXPECT_EQ(read.status, RunStatus::completed);
  EXPECT_EQ(read.data.at("train").dropped.at("empty_both"), 2);
  EXPECT_EQ(read.attention.at(0).d_k, 43);
  EXPECT_EQ(read.training.validations.at(0).bleu, 12.5);
}

TEST(RunReport, FormatStandsFirst) {
  EXPECT_THAT(dump_json(report_to_json(RunReport{}), -1),
              ::testing::StartsWith(R"({"format":"mha-train/report","format_version":3,"status":"failed",)"));
}

TEST(RunReport, NumbersThatAreNotFiniteAreNullAndReadAsUnknown) {
  const json written = sample_json();
  EXPECT_TRUE(written["training"]["curve"][1]["ppl"].is_null());
  EXPECT_TRUE(written["training"]["curve"][1]["gnorm"].is_null());
  const RunReport read = report_from_json(written, "sample");
  EXPECT_TRUE(std::isnan(read.training.curve[1].ppl));
  EXPECT_EQ(read.training.curve[1].nll_loss, 750.0);
}

TEST(RunReport, EveryNumberMayBeNull) {
  json in = sample_json();
  for (const char* key : {"wps", "source_wps", "ups", "padding_share"}) in["throughput"][key] = nullptr;
  for (const char* key : {"nll_loss", "ppl", "bleu"}) in["test"][key] = nullptr;
  in["training"]["best"]["value"] = nullptr;
  const RunReport read = report_from_json(in, "sample");
  EXPECT_TRUE(std::isnan(read.throughput.wps));
  EXPECT_NO_THROW(summary_table(read));
}

TEST(RunReport, AbsentPartsAreNull) {
  json in = sample_json();
  in["test"] = nullptr;
  in["training"]["best"] = nullptr;
  in["training"]["validations"][0]["bleu"] = nullptr;
  const RunReport read = report_from_json(in, "sample");
  EXPECT_FALSE(read.test || read.training.best || read.training.validations[0].bleu);
}

TEST(RunReport, OlderVersionsAreStillRead) {
  json in = sample_json();
  in["attention"][0].erase("path");
  in["data"]["train"].erase("repaired");
  EXPECT_THAT(refusal(in), HasSubstr("is missing"));
  in["format_version"] = 1;
  const RunReport read = report_from_json(in, "sample");
  EXPECT_EQ(read.attention[0].path, "");
  EXPECT_EQ(read.data.at("train").repaired, 0);
  in["extra"] = 1;
  EXPECT_THAT(refusal(in), HasSubstr("is not a key of this format"));
  in = sample_json();
  in["test"].erase("source_hash");
  EXPECT_THAT(refusal(in), HasSubstr("test.source_hash is missing"));
  in["format_version"] = 2;
  EXPECT_EQ(report_from_json(in, "sample").test->source_hash, "");
}

TEST(RunReport, OtherVersionsAreRefusedWithAReason) {
  json in = sample_json();
  in["format_version"] = 4;
  EXPECT_THAT(refusal(in), AllOf(HasSubstr("format_version 4"), HasSubstr("use a newer mha-train")));
  in["format_version"] = 0;
  EXPECT_THAT(refusal(in), AllOf(HasSubstr("format_version 0"), HasSubstr("make the report again")));
  in.erase("format_version");
  EXPECT_THAT(refusal(in), HasSubstr("format_version null"));
  in["format"] = "other";
  EXPECT_THAT(refusal(in), HasSubstr("not a report of mha-train"));
  EXPECT_THAT(refusal(json::array()), HasSubstr("not a report of mha-train"));
}

TEST(RunReport, WrongFieldsAreNamedWithTheirPlace) {
  json in = sample_json();
  in["training"]["curve"][1]["loss"] = "high";
  EXPECT_THAT(refusal(in), HasSubstr("x/report.json: training.curve[1].loss must be a number or null, not string"));
  in = sample_json();
  in["training"]["num_updates"] = 3.7;
  EXPECT_THAT(refusal(in), HasSubstr("training.num_updates must be an integer"));
  in = sample_json();
  in["status"] = "fine";
  EXPECT_THAT(refusal(in), HasSubstr("status has the unknown value \"fine\""));
  in = sample_json();
  in["memory"].erase("model_bytes");
  EXPECT_THAT(refusal(in), HasSubstr("memory.model_bytes is missing"));
  in = sample_json();
  in["data"]["train"]["lost"] = 1;
  EXPECT_THAT(refusal(in), HasSubstr("data.train.lost is not a key"));
}

TEST(RunReport, DocumentationIsUpToDate) {
  EXPECT_EQ(read_file(std::string(MHA_SOURCE_DIR) + "/docs/report.md"), report_markdown())
      << "run: mha-train report docs > docs/report.md";
}

TEST(RunReport, DocumentationNamesEveryKeyOfTheReport) {
  const std::string text = report_markdown();
  const std::function<void(const json&)> visit = [&](const json& node) {
    if (!node.is_object()) return;
    if (node.contains("properties")) {
      for (const auto& [key, child] : node["properties"].items()) EXPECT_THAT(text, HasSubstr("`" + key + "`"));
    }
    for (const auto& [key, child] : node.items()) visit(child);
  };
  visit(report_schema());
}

TEST(RunReport, PartsOfTheParametersAddUp) {
  ParameterReport p{.embeddings = 1,
                    .positions = 2,
                    .output = 3,
                    .encoder_self_attention = 4,
                    .decoder_self_attention = 5,
                    .cross_attention = 6,
                    .encoder_feed_forward = 7,
                    .decoder_feed_forward = 8,
                    .norms = 9,
                    .other = 10};
  EXPECT_EQ(p.parts(), 55);
}

}  // namespace
}  // namespace mha
