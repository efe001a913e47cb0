#include "analysis/comparison_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/analysis/gate_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Comparison sample() {
  RunReport report = scored_report();
  report.test->bleu["score"] = 29.0;
  report.throughput.wps = 21000;
  PairedBleu paired;
  paired.resamples = 2000;
  paired.test.emplace();
  paired.test->difference = -1.3;
  paired.test->interval = {-2.0, -0.6};
  paired.test->p = 0.0015;
  return compare_sides(base_side(), side_of(report, "runs/b|c"), rules_for("bleu=0.5,wps=-10%"), paired);
}

TEST(ComparisonText, ColumnsAreAligned) {
  EXPECT_EQ(comparison_text(sample()),
            R"(base  base (tiny, seed 7)
new   runs/b|c (tiny, seed 7)

metric           base          new           change  tolerance  verdict
bleu            30.30        29.00   -1.30 (-4.3 %)        0.5  FAIL: fell by 1.30 (4.3 %), tolerance 0.5
chrf            55.00        55.00    +0.00 (0.0 %)          -  not gated
chrf++          52.00        52.00    +0.00 (0.0 %)          -  not gated
nll            1.5000       1.5000  +0.0000 (0.0 %)          -  not gated
ppl             4.500        4.500   +0.000 (0.0 %)          -  not gated
params      1,000,000    1,000,000       +0 (0.0 %)          -  not gated
wps            20,000       21,000   +1,000 (5.0 %)        10%  pass
peak_rss  400,000,000  400,000,000       +0 (0.0 %)          -  not gated

)"
            "BLEU changed by -1.30, 95 % interval [-2.00, -0.60], p = 0.0015 (paired bootstrap, 2,000 resamples): more "
            "than the choice of test sentences explains\nFAIL: bleu fell by 1.30 (4.3 %), tolerance 0.5\n");
}

TEST(ComparisonText, HeadlineCountsWhatPassed) {
  EXPECT_EQ(headline(compared(base_side(), base_side(), GateRules{})), "PASS: 5 metrics within tolerance");
  EXPECT_EQ(headline(compared(base_side(), base_side(), rules_for("bleu=0"))), "PASS: 1 metric within tolerance");
}

TEST(ComparisonText, NoiseIsSaidToBeNoise) {
  Comparison comparison = sample();
  comparison.paired.test->p = 0.05;
  EXPECT_THAT(comparison_text(comparison), HasSubstr("p = 0.0500"));
  EXPECT_THAT(comparison_text(comparison), HasSubstr("not told from the choice of test sentences"));
}

TEST(ComparisonText, WhatIsNotKnownIsShownAsNullAndWhatIsAbsentAsADash) {
  GateSide candidate = base_side();
  candidate.card.figures.at("bleu").value = kUnknown;
  candidate.card.figures.erase("wps");
  const std::string text = comparison_text(compared(base_side(), candidate, GateRules{}));
  EXPECT_THAT(text, HasSubstr("FAIL: not known in base\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("bleu +30.30 +null +- +0.5  FAIL"));
  EXPECT_THAT(text, ::testing::ContainsRegex("wps +20,000 +- +- +-  not comparable: base has no wps"));
}

TEST(ComparisonMarkdown, IsATableWithEscapedText) {
  const std::string text = comparison_markdown(sample());
  EXPECT_THAT(text, ::testing::StartsWith("### FAIL: bleu fell by 1.30 (4.3 %), tolerance 0.5\n\nBase base (tiny, "));
  EXPECT_THAT(text, AllOf(HasSubstr("runs/b\\|c"), HasSubstr("| peak\\_rss |"), HasSubstr("\n|---|---:|---:|")));
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (line.starts_with("|")) {
      ++lines;
      EXPECT_EQ(std::ranges::count(line, '|'), 7) << line;
    }
    at = end + 1;
  }
  EXPECT_EQ(lines, 2 + gate_metrics().size());
  EXPECT_THAT(text, HasSubstr("\nBLEU changed by -1.30, 95 % interval \\[-2.00, -0.60\\], p = 0.0015"));
}

TEST(ComparisonJson, HasFullNumbersAndNullForWhatIsNotKnown) {
  const json out = parse_json(dump_json(comparison_to_json(sample())), "out");
  EXPECT_EQ(out["format"], "mha-train/comparison");
  EXPECT_EQ(out["passed"], false);
  EXPECT_EQ(out["new"]["given"], "runs/b|c");
  EXPECT_EQ(out["metrics"][0]["metric"], "bleu");
  EXPECT_EQ(out["metrics"][0]["change"].get<double>(), 29.0 - 30.3);
  EXPECT_EQ(out["metrics"][0]["verdict"], "fail");
  EXPECT_EQ(dump_json(out["metrics"][6]["tolerance"], -1), R"({"amount":10.0,"percent":true})");
  EXPECT_TRUE(out["metrics"][1]["tolerance"].is_null());
  EXPECT_EQ(out["paired_bootstrap"]["p"], 0.0015);

  GateSide unknown = base_side();
  unknown.card.figures.at("ppl").value = std::numeric_limits<double>::infinity();
  const json other = comparison_to_json(compared(base_side(), unknown, GateRules{}));
  EXPECT_TRUE(other["metrics"][4]["new"].is_null());
  EXPECT_TRUE(other["metrics"][4]["change"].is_null());
  EXPECT_TRUE(other["paired_bootstrap"].is_null());
}

}  // namespace
}  // namespace mha
