#include "analysis/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/message_of.h"
#include "unit/analysis/gate_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;
using ::testing::Not;

template <class F>
GateSide changed(F&& change) {
  RunReport report = scored_report();
  change(report);
  return side_of(report);
}

GateSide with_bleu(double score) {
  return changed([&](RunReport& r) { r.test->bleu["score"] = score; });
}

std::string refusal(const GateSide& candidate, const GateRules& rules) {
  return message_of([&] { check_comparable(base_side(), candidate, rules); });
}

TEST(Comparison, TheSameRunPasses) {
  const Comparison result = compared(base_side(), side_of(scored_report()), GateRules{});
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.rows.size(), gate_metrics().size());
  for (const char* metric : {"bleu", "chrf", "ppl", "wps", "peak_rss"})
    EXPECT_EQ(row_of(result, metric).verdict, GateVerdict::pass) << metric;
  for (const char* metric : {"chrf++", "nll", "params"})
    EXPECT_EQ(row_of(result, metric).verdict, GateVerdict::not_gated) << metric;
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(Comparison, AFallBeyondToleranceFailsAndOneEqualToItDoesNot) {
  EXPECT_TRUE(compared(base_side(), with_bleu(29.8), rules_for("bleu=0.5")).passed());
  const Comparison result = compared(base_side(), with_bleu(29.79), rules_for("bleu=0.5"));
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(row_of(result, "bleu").why, "fell by 0.51 (1.7 %), tolerance 0.5");
  EXPECT_TRUE(compared(base_side(), with_bleu(99), rules_for("bleu=0")).passed());
}

TEST(Comparison, OnlyTheNamedMetricsGate) {
  EXPECT_TRUE(compared(base_side(), with_bleu(3), rules_for("chrf=0.5")).passed());
  EXPECT_FALSE(compared(base_side(), with_bleu(3), GateRules{}).passed());
}

TEST(Comparison, EachMetricHasItsDirection) {
  const GateSide worse = changed([](RunReport& r) {
    r.test->nll_loss = 1.6;
    r.test->ppl = 5;
    r.parameters.num_params += 1;
    r.throughput.wps = 17000;
    r.memory.peak_resident_bytes = 430000000;
  });
  const Comparison result =
      compared(base_side(), worse, rules_for("nll=0.05,ppl=2%,params=0,wps=-10%,peak_rss=+5%,bleu=0"));
  for (const char* metric : {"nll", "ppl", "params", "wps", "peak_rss"})
    EXPECT_EQ(row_of(result, metric).verdict, GateVerdict::fail) << metric;
  EXPECT_EQ(row_of(result, "bleu").verdict, GateVerdict::pass);
  EXPECT_EQ(row_of(result, "wps").why, "fell by 3,000 (15.0 %), tolerance 10%");
  EXPECT_EQ(row_of(result, "ppl").why, "grew by 0.500 (11.1 %), tolerance 2%");
}

TEST(Comparison, NullOnEitherSideFailsWhereItGates) {
  const GateSide unknown = changed([](RunReport& r) {
    r.test->bleu = nullptr;
    r.test->bleu["signature"] = "nrefs:1|tok:13a";
  });
  const Comparison result = compared(base_side(), unknown, GateRules{});
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(row_of(result, "bleu").why, "not known in new");
  EXPECT_EQ(row_of(compare_sides(unknown, base_side(), GateRules{}, {}), "bleu").why, "not known in new");
  EXPECT_TRUE(compared(base_side(), unknown, rules_for("chrf=1")).passed());
  const GateSide overflown = changed([](RunReport& r) { r.test->ppl = std::numeric_limits<double>::infinity(); });
  EXPECT_FALSE(compared(base_side(), overflown, rules_for("ppl=1000%")).passed());
}

TEST(Comparison, ARunThatDidNotCompleteFailsWhateverGates) {
  GateSide broken = changed([](RunReport& r) { r.test.reset(); });
  EXPECT_FALSE(compared(base_side(), broken, GateRules{}).passed());
  broken.trouble = "the run is not complete but diverged";
  const Comparison result = compared(base_side(), broken, rules_for("params=0"));
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(row_of(result, "params").why, "new: the run is not complete but diverged");
}

TEST(Comparison, OtherTestConditionsAreRefused) {
  const GateSide other = changed([](RunReport& r) {
    r.test->decode["beam"] = 1;
    r.test->reference_hash = "x";
  });
  EXPECT_THAT(refusal(other, GateRules{}), AllOf(HasSubstr("base and new cannot be compared:"),
                                                 HasSubstr("\n  references: references in the base, x in the new"),
                                                 HasSubstr("\n  decode.beam: 5 in the base, 1 in the new")));
}

TEST(Comparison, AnotherMachineLeavesSpeedOutUnlessAskedFor) {
  const GateSide other = changed([](RunReport& r) {
    r.provenance.processor = "another";
    r.throughput.wps = 1;
  });
  const Comparison result = compared(base_side(), other, GateRules{});
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(row_of(result, "wps").verdict, GateVerdict::not_comparable);
  EXPECT_THAT(row_of(result, "wps").why, HasSubstr("processor: a processor in the base, another in the new"));
  EXPECT_THAT(refusal(other, rules_for("bleu=0.5,wps=10%")), HasSubstr("wps is not comparable: processor"));
}

TEST(Comparison, AnotherVocabularyIsRefusedUnlessNoLossGates) {
  const GateSide other = changed([](RunReport& r) { r.vocabulary.target_hash = "another"; });
  EXPECT_THAT(refusal(other, GateRules{}), AllOf(HasSubstr("ppl is not comparable: tokenisation"),
                                                 HasSubstr("name the metrics to gate without it")));
  EXPECT_THAT(refusal(other, rules_for("nll=1%")), HasSubstr("nll is not comparable: tokenisation"));
  EXPECT_EQ(row_of(compared(base_side(), other, rules_for("bleu=0.5")), "ppl").verdict, GateVerdict::not_comparable);
}

TEST(Comparison, WhatASideCannotHaveIsLeftOutUnlessAskedFor) {
  GateSide eval;
  eval.origin = "eval.json";
  eval.card = scorecard_of(*scored_report().test);
  const Comparison result = compared(base_side(), eval, GateRules{});
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(row_of(result, "wps").why, "eval.json has no wps");
  EXPECT_EQ(row_of(result, "ppl").verdict, GateVerdict::pass);
  EXPECT_THAT(refusal(eval, rules_for("wps=10%")), HasSubstr("eval.json has no wps"));
}

TEST(Comparison, AGateOverNothingIsRefused) {
  GateSide empty = base_side();
  empty.card.figures.clear();
  EXPECT_THAT(refusal(empty, GateRules{}), HasSubstr("no metric that gates is on both sides"));
}

TEST(Comparison, SignificanceInformsUnlessItDecides) {
  PairedBleu paired;
  paired.resamples = 1000;
  paired.test.emplace();
  paired.test->p = 0.05;
  GateRules rules = rules_for("bleu=0.5");
  EXPECT_FALSE(compare_sides(base_side(), with_bleu(29), rules, paired).passed());
  rules.significant_only = true;
  const Comparison noise = compare_sides(base_side(), with_bleu(29), rules, paired);
  EXPECT_TRUE(noise.passed());
  EXPECT_THAT(row_of(noise, "bleu").why, HasSubstr("but not significantly"));
  paired.test->p = 0.049;
  EXPECT_FALSE(compare_sides(base_side(), with_bleu(29), rules, paired).passed());
  EXPECT_TRUE(compare_sides(base_side(), with_bleu(30), rules, paired).passed());  // within tolerance
  EXPECT_FALSE(compare_sides(base_side(), with_bleu(29), rules, {}).passed());     // nothing says that it is noise
}

TEST(Comparison, SignificanceThatCouldNeverBeToldIsRefused) {
  GateRules rules = rules_for("bleu=0.5");
  const auto complaint = [&] { return message_of([&] { check_rules(rules); }); };
  rules.resamples = 19;  // p is at least 1 / 20
  EXPECT_NO_THROW(check_rules(rules));
  rules.significant_only = true;
  for (const std::int64_t resamples : {0, 1, 19, 99}) {
    rules.resamples = resamples;
    EXPECT_THAT(complaint(), AllOf(HasSubstr("100 at least, not " + std::to_string(resamples)), HasSubstr("leave")));
  }
  rules.resamples = 100;
  EXPECT_NO_THROW(check_rules(rules));
  rules.tolerances = parse_tolerances("chrf=1");
  EXPECT_THAT(complaint(), HasSubstr("add bleu=0.5"));
}

TEST(Comparison, SignificanceExcusesNothingButAFallOfBleu) {
  PairedBleu paired;
  paired.test.emplace();
  paired.test->p = 1;
  GateRules rules;
  rules.significant_only = true;
  EXPECT_FALSE(compare_sides(base_side(), changed([](RunReport& r) { r.test->ppl = 9; }), rules, paired).passed());
  GateSide broken = with_bleu(29);
  broken.trouble = "the run failed";
  EXPECT_FALSE(compare_sides(base_side(), broken, rules, paired).passed());
}

TEST(Comparison, NotesTellWhatElseDiffers) {
  const GateSide other = changed([](RunReport& r) { r.test->weights = "average"; });
  PairedBleu paired;
  paired.resamples = 1000;
  paired.why_not = "no translations";
  EXPECT_THAT(compare_sides(base_side(), other, GateRules{}, paired).notes,
              ElementsAre("weights that were scored: best in the base, average in the new",
                          "no paired bootstrap: no translations"));
}

}  // namespace
}  // namespace mha
