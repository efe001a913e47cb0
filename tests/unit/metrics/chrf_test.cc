#include "metrics/chrf.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace mha {
namespace {

TEST(Chrf, HandComputedScore) {
  // Orders 1 and 2 of "abc" against "abd": precision and recall (2/3 + 1/2) / 2 each, so F is the same.
  const ChrfScore score = corpus_chrf({"a bc"}, {{"ab d"}}, {.char_order = 2});
  EXPECT_NEAR(score.score, 100.0 * 7 / 12, 1e-9);
}

TEST(Chrf, RecallWeighsMore) {
  const double missing = corpus_chrf({"abcd"}, {{"abcdefgh"}}).score;
  const double surplus = corpus_chrf({"abcdefgh"}, {{"abcd"}}).score;
  EXPECT_LT(missing, surplus);
}

TEST(Chrf, TakesTheBestReferenceOfEachLine) {
  const std::vector<std::string> hypotheses = {"good morning", "good night"};
  const References mixed = {{"good morning", "xxxx"}, {"yyyy", "good night"}};
  EXPECT_NEAR(corpus_chrf(hypotheses, mixed).score, 100.0, 1e-9);
  EXPECT_LT(corpus_chrf(hypotheses, {mixed[0]}).score, 90.0);
}

TEST(Chrf, EmptyLinesScoreZeroAndNeverNan) {
  EXPECT_EQ(corpus_chrf({""}, {{""}}).score, 0.0);
  EXPECT_EQ(corpus_chrf({""}, {{"abc"}}).score, 0.0);
  EXPECT_EQ(corpus_chrf({"abc"}, {{" "}}).score, 0.0);
}

TEST(Chrf, SentenceStatsAddUp) {
  const std::vector<std::string> hypotheses = {"the cat sat,", "two dogs bark"};
  const References references = {{"a cat sat.", "two dogs barked"}};
  const ChrfOptions options{.word_order = 2};
  const auto stats = chrf_sentence_stats(hypotheses, references, options);
  ASSERT_EQ(stats.size(), 2U);
  ASSERT_EQ(stats[0].size(), 8U);
  EXPECT_EQ(stats[0][6].hyp, 4);    // the, cat, sat and the comma
  EXPECT_EQ(stats[0][6].match, 2);  // cat, sat
  EXPECT_EQ(chrf_from_stats(stats, options).score, corpus_chrf(hypotheses, references, options).score);
}

TEST(Chrf, NameAndSignature) {
  EXPECT_EQ(corpus_chrf({"a"}, {{"b"}}).format(1),
            "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 0.0");
  const auto json = corpus_chrf({"A"}, {{"a"}, {"b"}}, {.word_order = 2, .lowercase = true}).to_json();
  EXPECT_EQ(json["name"], "chrF2++");
  EXPECT_EQ(json["signature"], "nrefs:2|case:lc|eff:yes|nc:6|nw:2|space:no|version:2.6.0");
  EXPECT_EQ(json["score"], 100.0);
  EXPECT_FALSE(json.contains("verbose_score"));
}

TEST(Chrf, RefusesUnequalLineCounts) {
  EXPECT_THROW(corpus_chrf({"a"}, {{"a", "b"}}), UserError);
  EXPECT_THROW(corpus_chrf({}, {{}}), UserError);
}

}  // namespace
}  // namespace mha
