#include "analysis/paired_bleu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "base/text.h"
#include "config/config.h"
#include "metrics/bleu.h"
#include "support/temporary_folder.h"
#include "unit/analysis/gate_testing.h"

namespace mha {
namespace {

using ::testing::HasSubstr;
using Lines = std::vector<std::string>;

/// References of 60 lines and a system that gets every `nth` wrong.
class PairedBleuTest : public ::testing::Test {
 protected:
  PairedBleuTest() {
    for (int i = 0; i < 60; ++i)
      references_.push_back("the line " + std::to_string(i) + " says that all is well with number " +
                            std::to_string(i * i));
    references_file_ = folder_.write("test.en", text_of(references_));
    folder_.write("test.de", text_of(references_));
  }

  static std::string text_of(const Lines& lines) { return join(lines, "\n") + "\n"; }

  GateSide system(const std::string& name, int nth) const {
    Lines hypotheses = references_;
    for (std::size_t i = 0; i < hypotheses.size(); i += static_cast<std::size_t>(nth)) hypotheses[i] = "nothing of it";
    RunConfig config;
    config.data.test.source = {(folder_ / "test.de").string()};
    config.data.test.target = {references_file_.string()};
    RunReport report = scored_report();
    report.test->bleu = corpus_bleu(hypotheses, {references_}).to_json();
    report.test->reference_hash = sha256_lines(references_);
    GateSide side = side_of(report, name);
    side.hypotheses = folder_.write(name, text_of(hypotheses));
    side.bleu = report.test->bleu;
    side.config = config_to_json(config);
    return side;
  }

  testing::TemporaryFolder folder_;
  Lines references_;
  std::filesystem::path references_file_;
};

TEST_F(PairedBleuTest, TellsALossFromTheSame) {
  const GateSide good = system("good", 20), bad = system("bad", 2);
  const PairedBleu loss = paired_bleu(good, bad, 500);
  ASSERT_TRUE(loss.test) << loss.why_not;
  EXPECT_NEAR(loss.test->difference, bad.bleu["score"].get<double>() - good.bleu["score"].get<double>(), 1e-9);
  EXPECT_LT(loss.test->p, 0.01);
  EXPECT_LT(loss.test->interval.high, 0);
  const PairedBleu same = paired_bleu(good, system("again", 20), 500);
  ASSERT_TRUE(same.test);
  EXPECT_EQ(same.test->difference, 0);
  EXPECT_GT(same.test->p, 0.9);
}

TEST_F(PairedBleuTest, OneSideThatKnowsTheReferencesIsEnough) {
  GateSide forgetful = system("forgetful", 3);
  forgetful.config = json::object();
  EXPECT_TRUE(paired_bleu(system("good", 20), forgetful, 100).test);
  EXPECT_TRUE(paired_bleu(forgetful, system("good", 20), 100).test);
  EXPECT_THAT(paired_bleu(forgetful, forgetful, 100).why_not, HasSubstr("where the references lie is not known"));
}

TEST_F(PairedBleuTest, OlderReportsWithoutAHashAreCheckedByTheirScore) {
  GateSide older = system("older", 20);
  older.card.test->reference_hash.clear();
  EXPECT_TRUE(paired_bleu(older, older, 100).test);
  folder_.write("test.en", text_of(Lines(60, "other references")));
  EXPECT_THAT(paired_bleu(older, older, 100).why_not, HasSubstr("does not score as reported"));
}

TEST_F(PairedBleuTest, SaysWhyThereIsNone) {
  const GateSide good = system("good", 20);
  EXPECT_EQ(paired_bleu(good, good, 0).why_not, "no resamples were asked for");
  GateSide bare = good;
  bare.hypotheses.clear();
  bare.origin = "ci/baseline.json";
  EXPECT_EQ(paired_bleu(bare, good, 100).why_not, "the translations of ci/baseline.json are not at hand");

  GateSide edited = system("edited", 4);
  folder_.write("edited", text_of(references_));
  EXPECT_THAT(paired_bleu(good, edited, 100).why_not, HasSubstr("edited does not score as reported"));
  folder_.write("edited", "one line\n");
  EXPECT_FALSE(paired_bleu(good, edited, 100).test);

  GateSide unknown = good;
  unknown.card.figures.at("bleu").value = kUnknown;
  EXPECT_THAT(paired_bleu(good, unknown, 100).why_not, HasSubstr("does not score as reported"));
  unknown.bleu = {{"tok", nullptr}};
  EXPECT_FALSE(paired_bleu(good, unknown, 100).test);
  unknown.bleu = nullptr;
  EXPECT_THAT(paired_bleu(good, unknown, 100).why_not, HasSubstr("are not at hand"));

  folder_.write("test.en", text_of(Lines(60, "other references")));
  EXPECT_THAT(paired_bleu(good, good, 100).why_not, HasSubstr("the references have changed since good was scored"));
  std::filesystem::remove(folder_ / "test.en");
  EXPECT_THAT(paired_bleu(good, good, 100).why_not, HasSubstr("test.en"));
}

}  // namespace
}  // namespace mha
