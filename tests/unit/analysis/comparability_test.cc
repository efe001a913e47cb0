#include "analysis/comparability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/analysis/gate_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <class F>
std::vector<std::string> differences_after(F&& change) {
  RunReport report = scored_report();
  change(report);
  return differing_test_conditions(base_side(), side_of(report));
}

template <class F>
std::string why_not(const std::string& metric, F&& change) {
  RunReport report = scored_report();
  change(report);
  return why_not_comparable(*find_gate_metric(metric), base_side().card, scorecard_of(report));
}

TEST(Comparability, EqualConditionsDifferInNothing) {
  EXPECT_THAT(differences_after([](RunReport&) {}), IsEmpty());
}

TEST(Comparability, EachConditionIsNamedWithBothValues) {
  EXPECT_THAT(differences_after([](RunReport& r) { r.test->source_hash = "others"; }),
              ElementsAre("test data (sources): sources in the base, others in the new"));
  EXPECT_THAT(differences_after([](RunReport& r) { r.test->reference_hash = "others"; }),
              ElementsAre("references: references in the base, others in the new"));
  EXPECT_THAT(differences_after([](RunReport& r) { r.test->bleu["signature"] = "nrefs:1|tok:intl"; }),
              ElementsAre("BLEU signature: nrefs:1|tok:13a in the base, nrefs:1|tok:intl in the new"));
  EXPECT_THAT(differences_after([](RunReport& r) { r.test->chrf["signature"] = "nrefs:2"; }),
              ElementsAre(HasSubstr("chrF signature: ")));
  EXPECT_THAT(differences_after([](RunReport& r) { r.test->decode["beam"] = 1; }),
              ElementsAre("decode.beam: 5 in the base, 1 in the new"));
  EXPECT_THAT(differences_after([](RunReport& r) { r.test->decode.erase("lenpen"); }),
              ElementsAre("decode.lenpen: 1.0 in the base, absent in the new"));
  EXPECT_THAT(differences_after([](RunReport& r) { r.test->decode_precision = "int8"; }),
              ElementsAre("decode.precision: fp32 in the base, int8 in the new"));
  EXPECT_THAT(differences_after([](RunReport& r) { r.test->sentences = 99; }),
              ElementsAre("test sentences: 100 in the base, 99 in the new"));
}

TEST(Comparability, AllDifferencesAtOnce) {
  EXPECT_EQ(differences_after([](RunReport& r) {
              r.test->source_hash = r.test->reference_hash = "x";
              r.test->decode["beam"] = 1;
            }).size(),
            3U);
}

TEST(Comparability, WhatChangesNoScoreDoesNotCount) {
  EXPECT_THAT(differences_after([](RunReport& r) {
                r.test->decode["max_tokens"] = 1;
                r.test->decode["path"] = "generic";
                r.test->decode_path = "generic";
                r.test->weights = "average";
                r.vocabulary.target_hash = "another";
                r.provenance.processor = "another";
              }),
              IsEmpty());
}

TEST(Comparability, ARunWithoutATestDiffersInNothing) {
  EXPECT_THAT(differences_after([](RunReport& r) { r.test.reset(); }), IsEmpty());
}

TEST(Comparability, OlderReportsGoByTheEncodedText) {
  const auto older = [](RunReport& r) { r.test->source_hash = r.test->reference_hash = ""; };
  EXPECT_THAT(differences_after(older), IsEmpty());
  EXPECT_THAT(differences_after([&](RunReport& r) {
                older(r);
                r.data["test"].hash = "another";
              }),
              ElementsAre(AllOf(HasSubstr("cannot be told"), HasSubstr("the new is of an older"))));
  EXPECT_THAT(differences_after([](RunReport& r) { r.test->decode_precision = ""; }), IsEmpty());
}

TEST(Comparability, LossesPerSubwordNeedTheSameVocabulary) {
  const auto other = [](RunReport& r) {
    r.vocabulary.target_hash = "fedcba9876543210";
    r.test->target_tokens = 1500;
  };
  for (const char* metric : {"nll", "ppl", "wps"}) {
    EXPECT_EQ(why_not(metric, other),
              "tokenisation of the references differs: 1,600 subwords, vocabulary 0123456789ab in the base, 1,500 "
              "subwords, vocabulary fedcba987654 in the new");
  }
  for (const char* metric : {"bleu", "chrf", "params", "peak_rss"}) EXPECT_EQ(why_not(metric, other), "");
  EXPECT_NE(why_not("nll", [](RunReport& r) { r.vocabulary.target_hash = "another"; }), "");
  EXPECT_EQ(why_not("nll", [](RunReport& r) { r.vocabulary.target_hash = ""; }), "");
}

TEST(Comparability, SpeedAndMemoryNeedTheSameMachine) {
  for (const char* metric : {"wps", "peak_rss"}) {
    EXPECT_EQ(why_not(metric, [](RunReport&) {}), "");
    EXPECT_EQ(why_not(metric, [](RunReport& r) { r.provenance.threads = 4; }), "threads: 2 in the base, 4 in the new");
    EXPECT_EQ(why_not(metric, [](RunReport& r) { r.provenance.precision = "bf16"; }),
              "precision: fp32 in the base, bf16 in the new");
    EXPECT_EQ(why_not(metric, [](RunReport& r) { r.attention[1].path = "padded"; }),
              "attention path: packed in the base, packed,padded in the new");
    EXPECT_THAT(why_not(metric,
                        [](RunReport& r) {
                          r.provenance.processor = "another";
                          r.provenance.instruction_set = "avx512";
                          r.provenance.device = "cuda";
                        }),
                AllOf(HasSubstr("processor: "), HasSubstr("; instruction set: "), HasSubstr("; device: ")));
  }
  EXPECT_EQ(why_not("bleu", [](RunReport& r) { r.provenance.threads = 4; }), "");
}

}  // namespace
}  // namespace mha
