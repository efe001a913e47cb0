#include "metrics/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const ScoreText kScore{
    .name = "BLEU", .score = 70.60756813380664, .verbose = "90.7/78.9", .fields = {{"nrefs", "2"}, {"case", "lc"}}};

TEST(Score, SignatureEndsWithTheVersionOfTheDefinition) {
  EXPECT_EQ(kScore.signature(), "nrefs:2|case:lc|version:2.6.0");
}

TEST(Score, LineHasTheScoreRounded) {
  EXPECT_EQ(kScore.format(1), "BLEU|nrefs:2|case:lc|version:2.6.0 = 70.6 90.7/78.9");
  EXPECT_EQ((ScoreText{.name = "chrF2", .score = 5, .verbose = "", .fields = {}}).format(),
            "chrF2|version:2.6.0 = 5.00");
}

TEST(Score, JsonHasKeysInTheOrderOfSacrebleu) {
  EXPECT_EQ(kScore.to_json(2).dump(),
            R"({"name":"BLEU","score":70.61,"signature":"nrefs:2|case:lc|version:2.6.0","verbose_score":"90.7/78.9",)"
            R"("nrefs":"2","case":"lc","version":"2.6.0","implementation":"mha-train"})");
  EXPECT_EQ(kScore.to_json()["score"].get<double>(), 70.60756813380664);
}

std::string refusal(std::size_t hypothesis_lines, const std::vector<std::size_t>& reference_lines) {
  References references;
  for (const std::size_t n : reference_lines) references.emplace_back(n);
  try {
    check_line_counts(std::vector<std::string>(hypothesis_lines), references);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Score, LineCountsMustAgreeInEveryReference) {
  EXPECT_EQ(refusal(2, {2, 2}), "");
  EXPECT_THAT(refusal(4, {5}), AllOf(HasSubstr("4 lines"), HasSubstr("reference 1 has 5 lines")));
  EXPECT_THAT(refusal(2, {2, 1}), AllOf(HasSubstr("2 lines"), HasSubstr("reference 2 has 1 line;")));
  EXPECT_THAT(refusal(0, {3}), AllOf(HasSubstr("0 lines"), HasSubstr("3 lines")));
  EXPECT_THAT(refusal(0, {0}), HasSubstr("no lines to score"));
  EXPECT_THAT(refusal(3, {}), HasSubstr("no reference"));
}

}  // namespace
}  // namespace mha
