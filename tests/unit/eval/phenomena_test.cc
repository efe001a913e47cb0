#include "eval/phenomena.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "report/field_json.h"

namespace mha {
namespace {

const ParallelText kText = {{"the cat", "it sleeps", "yes"}, {"die Katze", "sie schläft", "ja"}};

class Phenomena : public testing::Test {
 protected:
  std::vector<Contrast> read(const std::string& content) {
    write_file(file_, content);
    return read_contrasts(file_, kText);
  }
  /// What the error says about this content.
  std::string error(const std::string& content) {
    try {
      read(content);
    } catch (const UserError& e) {
      return e.what();
    }
    return "no error";
  }
  void TearDown() override { std::filesystem::remove(file_); }

  const std::filesystem::path file_ =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + ".annotations.jsonl";
  const std::string first_ = R"({"phenomena":["gender"],"alignment":[[0,0]],"contrasts":[)"
                             R"({"phenomenon":"gender","target":"der Katze","note":"masculine"},)"
                             R"({"phenomenon":"case","target":"der Katzen","note":"genitive"}]})"
                             "\n";
  const std::string second_ = R"({"contrasts":[{"phenomenon":"gender","target":"er schläft"}]})"
                              "\n";
  const std::string third_ = R"({"contrasts":[]})"
                             "\n";
};

TEST_F(Phenomena, ReadsContrasts) {
  const auto contrasts = read(first_ + second_ + third_);
  ASSERT_EQ(contrasts.size(), 3U);
  EXPECT_EQ(contrasts[0].pair, 0U);
  EXPECT_EQ(contrasts[0].phenomenon, "gender");
  EXPECT_EQ(contrasts[1].wrong, "der Katzen");
  EXPECT_EQ(contrasts[2].pair, 1U);
  EXPECT_EQ(contrasts[2].wrong, "er schläft");
}

TEST_F(Phenomena, ErrorsNameFileAndLine) {
  using testing::HasSubstr;
  EXPECT_THAT(error(first_ + second_), HasSubstr("has 2 lines, but the text it belongs to has 3"));
  EXPECT_THAT(error(first_ + second_ + third_ + third_), HasSubstr("has 4 lines"));
  const std::string second_line = "annotations.jsonl, line 2";
  EXPECT_THAT(error(first_ + "{\"contrasts\":\n" + third_), HasSubstr(second_line));
  EXPECT_THAT(error(first_ + "{}\n" + third_), HasSubstr(second_line));
  EXPECT_THAT(error(first_ + "{\"contrasts\":[{\"target\":\"x\"}]}\n" + third_), HasSubstr(second_line));
  EXPECT_THAT(error(first_ + "{\"contrasts\":[{\"phenomenon\":\"gender\",\"target\":7}]}\n" + third_),
              HasSubstr(second_line));
  EXPECT_THAT(error(first_ + "{\"contrasts\":[{\"phenomenon\":\"g\",\"target\":\"sie schläft\"}]}\n" + third_),
              HasSubstr(second_line + ": the wrong sentence of \"g\" is the right one"));
}

TEST_F(Phenomena, CountsRightSentencesThatAreStrictlyMoreProbable) {
  const auto contrasts = read(first_ + second_ + third_);
  const std::map<std::string, double> log_probs = {
      {"die Katze", -3.0}, {"der Katze", -4.0}, {"der Katzen", -3.0}, {"sie schläft", -9.0}, {"er schläft", -2.0}};
  int calls = 0;
  const auto reports = score_phenomena(contrasts, kText, [&](const auto& pairs) {
    ++calls;
    const std::set<std::pair<std::string, std::string>> distinct(pairs.begin(), pairs.end());
    EXPECT_EQ(distinct.size(), pairs.size());
    std::vector<double> result;
    for (const auto& [source, target] : pairs) {
      EXPECT_EQ(source, target.find("Katze") != std::string::npos ? "the cat" : "it sleeps");
      result.push_back(log_probs.at(target));
    }
    return result;
  });
  EXPECT_EQ(calls, 1);
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports[0].name, "case");
  EXPECT_EQ(reports[0].n, 1);
  EXPECT_EQ(reports[0].correct, 0) << "equally probable is not more probable";
  EXPECT_EQ(reports[1].name, "gender");
  EXPECT_EQ(reports[1].n, 2);
  EXPECT_EQ(reports[1].correct, 1);
  EXPECT_DOUBLE_EQ(reports[1].accuracy, 0.5);
  EXPECT_LT(reports[1].low, 0.5);
  EXPECT_GT(reports[1].high, 0.5);
}

TEST_F(Phenomena, WhatIsNotANumberIsNotRight) {
  const auto reports = score_phenomena({{0, "gender", "der Katze"}}, kText, [](const auto& pairs) {
    return std::vector<double>(pairs.size(), std::numeric_limits<double>::quiet_NaN());
  });
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].correct, 0);
}

TEST_F(Phenomena, ScorerMustAnswerEveryPair) {
  const PairScorer short_of_one = [](const auto& pairs) { return std::vector<double>(pairs.size() - 1); };
  EXPECT_THROW(score_phenomena({{0, "gender", "der Katze"}}, kText, short_of_one), std::logic_error);
}

TEST_F(Phenomena, WilsonInterval) {
  // 8 of 10: closed form, z = 1.96: (0.8 + 0.19208 -/+ 1.96 sqrt(0.016 + 0.009604)) / 1.38416
  EXPECT_NEAR(wilson_interval(8, 10).low, 0.4901625, 1e-6);
  EXPECT_NEAR(wilson_interval(8, 10).high, 0.9433178, 1e-6);
  EXPECT_EQ(wilson_interval(0, 20).low, 0.0);
  EXPECT_NEAR(wilson_interval(0, 20).high, 0.1611252, 1e-6);
  EXPECT_NEAR(wilson_interval(20, 20).low, 1 - 0.1611252, 1e-6);
  EXPECT_EQ(wilson_interval(20, 20).high, 1.0);
  EXPECT_EQ(wilson_interval(0, 0).low, 0.0);
  EXPECT_EQ(wilson_interval(0, 0).high, 1.0);
}

TEST_F(Phenomena, TableAndJson) {
  const std::vector<PhenomenonReport> reports = {{"verb_second", 1200, 1188, 0.99, 0.9826, 0.9943},
                                                 {"case", 4, 3, 0.75, 0.3006, 0.9544}};
  EXPECT_EQ(phenomena_table(reports),
            "phenomenon         n  accuracy   95 % interval\n"
            "verb_second    1,200      99.0     98.3 - 99.4\n"
            "case               4      75.0     30.1 - 95.4\n");
  EXPECT_EQ(dump_json(field_to_json(reports)[1], -1),
            R"({"name":"case","n":4,"correct":3,"accuracy":0.75,"low":0.3006,"high":0.9544})");
}

}  // namespace
}  // namespace mha
