#include "analysis/scorecard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/message_of.h"
#include "unit/analysis/gate_testing.h"

namespace mha {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using ::testing::Not;

json baseline() { return parse_json(dump_json(baseline_to_json(scorecard_of(scored_report()))), "baseline"); }

std::string refusal(const json& in) {
  return message_of([&] { baseline_from_json(in, "ci/baseline.json"); });
}

TEST(Scorecard, TakesTheFiguresOfAReport) {
  const Scorecard card = scorecard_of(scored_report());
  EXPECT_EQ(card.figures.size(), gate_metrics().size());
  EXPECT_EQ(card.figures.at("bleu").value, 30.3);
  EXPECT_EQ(card.figures.at("chrf++").value, 52.0);
  EXPECT_EQ(card.figures.at("params").value, 1e6);
  EXPECT_EQ(card.figures.at("wps").unit, "target tokens / second");
  EXPECT_EQ(card.test->reference_hash, "references");
  EXPECT_EQ(card.machine->attention_path, "packed");
  EXPECT_EQ(dump_json(card.test->decode, -1), R"({"beam":5,"lenpen":1.0})");
}

TEST(Scorecard, WithoutATestTheScoresAreNotKnown) {
  RunReport report = scored_report();
  report.test.reset();
  const Scorecard card = scorecard_of(report);
  EXPECT_FALSE(card.test);
  for (const char* metric : {"bleu", "chrf", "chrf++", "nll", "ppl"})
    EXPECT_TRUE(std::isnan(card.figures.at(metric).value)) << metric;
  EXPECT_EQ(card.figures.at("wps").value, 20000);
}

TEST(Scorecard, NullAndBrokenScoresAreNotKnown) {
  RunReport report = scored_report();
  for (const json& bleu : {json(nullptr), json({{"score", nullptr}}), json({{"score", "30"}}), json::array()}) {
    report.test->bleu = bleu;
    EXPECT_TRUE(std::isnan(scorecard_of(report).figures.at("bleu").value)) << bleu;
  }
}

TEST(Scorecard, OfEvalHasNoSpeedAndNoMachine) {
  const Scorecard card = scorecard_of(*scored_report().test);
  EXPECT_EQ(card.figures.size(), 5U);
  EXPECT_FALSE(card.machine || card.seed);
}

TEST(Baseline, SurvivesWritingAndReading) {
  EXPECT_EQ(baseline_to_json(baseline_from_json(baseline(), "x")), baseline());
}

TEST(Baseline, IsStable) {
  const std::string text = dump_json(baseline());
  EXPECT_THAT(text, ::testing::StartsWith("{\n  \"format\": \"mha-train/baseline\",\n  \"format_version\": 1,"));
  std::vector<std::string> names;
  for (const auto& item : baseline()["figures"].items()) names.push_back(item.key());
  EXPECT_TRUE(std::ranges::is_sorted(names));
  // Nothing of a run that another one with the same result has not.
  RunReport again = scored_report();
  again.provenance.started = "2030-01-01T00:00:00Z";
  again.provenance.commit = "0123";
  again.config = {{"run_dir", "elsewhere"}};
  again.test->hypotheses = "elsewhere.txt";
  again.test->seconds = 9;
  EXPECT_EQ(dump_json(baseline_to_json(scorecard_of(again))), text);
}

TEST(Baseline, NullIsRead) {
  json in = baseline();
  in["figures"]["bleu"]["value"] = nullptr;
  in["machine"] = nullptr;
  const Scorecard card = baseline_from_json(in, "x");
  EXPECT_TRUE(std::isnan(card.figures.at("bleu").value));
  EXPECT_FALSE(card.machine);
}

TEST(Baseline, WhatIsWrongIsNamed) {
  json in = baseline();
  in["format_version"] = 2;
  EXPECT_THAT(refusal(in), HasSubstr("ci/baseline.json: the baseline has format_version 2"));
  in.erase("format_version");
  EXPECT_THAT(refusal(in), HasSubstr("format_version null"));
  in = baseline();
  in["figures"]["speed"] = {{"value", 1}, {"unit", ""}};
  EXPECT_THAT(refusal(in), HasSubstr("figures.speed is not a figure"));
  in = baseline();
  in["figures"]["peak_rss"]["unit"] = "MiB";
  EXPECT_THAT(refusal(in), HasSubstr("figures.peak_rss is in \"MiB\", not in \"bytes\""));
  in = baseline();
  in["figures"]["bleu"]["value"] = "high";
  EXPECT_THAT(refusal(in), HasSubstr("figures.bleu.value must be a number or null"));
  in = baseline();
  in["test"].erase("decode");
  EXPECT_THAT(refusal(in), HasSubstr("test.decode is missing"));
}

}  // namespace
}  // namespace mha
