#include "metrics/resampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json.h"

namespace mha {
namespace {

using testing::ElementsAre;

/// What sacreBLEU 2.6.0 says; scripts/golden/make_significance_golden.py wrote it.
class SacrebleuBootstrap : public testing::Test {
 protected:
  std::vector<BleuStats> stats(const std::string& system) const {
    return bleu_sentence_stats(golden_["systems"][system].get<std::vector<std::string>>(), {refs_});
  }

  void expect(const std::string& system, const Resamples& resamples, const json& row, double p_tolerance,
              double tolerance) const {
    SCOPED_TRACE(system);
    const BootstrapScores scores = bootstrap_scores(stats(system), resamples);
    const PairedBootstrap paired = paired_bootstrap(bootstrap_scores(stats("baseline"), resamples), scores);
    const BootstrapInterval interval = bootstrap_interval(scores.resampled);
    EXPECT_NEAR(scores.score, row["score"].get<double>(), 1e-9);
    EXPECT_NEAR(paired.p_sacrebleu, row["p"].get<double>(), p_tolerance);
    EXPECT_NEAR(interval.mean, row["mean"].get<double>(), tolerance);
    EXPECT_NEAR(interval.half_width, row["ci"].get<double>(), tolerance);
  }

  json golden_ = read_json(MHA_SOURCE_DIR "/tests/golden/significance_golden.json");
  std::vector<std::string> refs_ = golden_["refs"].get<std::vector<std::string>>();
};

TEST_F(SacrebleuBootstrap, EqualOnTheSameResamples) {
  const auto resamples = Resamples::from_indices(golden_["resamples"].get<std::vector<std::vector<std::size_t>>>());
  ASSERT_EQ(resamples.count(), 100U);
  for (const std::string system : {"near", "worse"}) {
    expect(system, resamples, golden_["given"][system], 1e-12, 1e-9);
    expect(system, resamples, golden_["given_float32"][system], 1e-12, 1e-4);
  }
  EXPECT_GT(golden_["given"]["near"]["p"].get<double>(), 0.1);
  EXPECT_LT(golden_["given"]["worse"]["p"].get<double>(), 0.05);
}

TEST_F(SacrebleuBootstrap, AgreesOnOtherResamplesWithinMonteCarloError) {
  const auto resamples = Resamples::draw(10'000, refs_.size(), 12345);
  for (const std::string system : {"near", "worse"}) {
    const json& row = golden_["own"][system];
    // Deviations of the difference of two estimates from 10,000 resamples each: of a share at most 0.5 / 100 * sqrt(2),
    // of a mean sd / 100 * sqrt(2), of a half width some 2.7 times that; four of them.
    const double sd = row["ci"].get<double>() / 1.96;
    expect(system, resamples, row, 0.03, 0.15 * sd);
    EXPECT_NEAR(bootstrap_interval(bootstrap_scores(stats(system), resamples).resampled).mean,
                row["mean"].get<double>(), 0.06 * sd);
  }
}

TEST_F(SacrebleuBootstrap, OfASystemAgainstItself) {
  const auto scores = bootstrap_scores(stats("near"), Resamples::draw(99, refs_.size(), 1));
  const PairedBootstrap paired = paired_bootstrap(scores, scores);
  EXPECT_EQ(paired.difference, 0.0);
  EXPECT_EQ(paired.variance, 0.0);
  EXPECT_EQ(paired.interval, (Interval{0.0, 0.0}));
  EXPECT_EQ(paired.p, 1.0);
  EXPECT_EQ(paired.p_sacrebleu, 0.01) << "sacreBLEU's: nothing exceeds zero";
}

TEST(Resamples, AreTheSameForTheSameSeed) {
  const auto rows = [](const Resamples& resamples) {
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < resamples.count(); ++i) {
      all.insert(all.end(), resamples.row(i).begin(), resamples.row(i).end());
    }
    return all;
  };
  const auto first = rows(Resamples::draw(50, 40, 3));
  ASSERT_EQ(first.size(), 2000U);
  EXPECT_EQ(first, rows(Resamples::draw(50, 40, 3)));
  EXPECT_NE(first, rows(Resamples::draw(50, 40, 4)));
  for (std::uint32_t sentence = 0; sentence < 40; ++sentence) {
    EXPECT_NEAR(static_cast<double>(std::ranges::count(first, sentence)), 50.0, 35.0) << sentence;
  }
}

TEST(Resamples, ThatAreGivenMustFit) {
  EXPECT_THROW(Resamples::from_indices({{0, 1}, {0, 2}}), UserError);
  EXPECT_THROW(Resamples::from_indices({{0, 1}, {0}}), UserError);
  const auto resamples = Resamples::from_indices({{1, 1}});
  EXPECT_THAT(std::vector(resamples.row(0).begin(), resamples.row(0).end()), ElementsAre(1, 1));
  EXPECT_THROW(bootstrap_scores(std::vector<BleuStats>(3), resamples), UserError);
}

/// Statistics of a sentence of five words of which `right` match in a row.
BleuStats five_words(std::int64_t right) {
  BleuStats out;
  out.hyp_len = out.ref_len = 5;
  for (std::size_t n = 0; n < 4; ++n) {
    out.total[n] = 5 - static_cast<std::int64_t>(n);
    out.match[n] = std::max<std::int64_t>(0, right - static_cast<std::int64_t>(n));
  }
  return out;
}

TEST(BootstrapScores, AreThoseOfTheSentencesChosen) {
  const std::vector<BleuStats> sentences = {five_words(5), five_words(4)};
  const auto scores = bootstrap_scores(sentences, Resamples::from_indices({{0, 0}, {1, 1}, {1, 0}}));
  EXPECT_NEAR(scores.score, bleu_from_stats(sentences).score, 1e-12);
  const double four_right = bleu_from_stats(std::vector{five_words(4)}).score;
  ASSERT_EQ(scores.resampled.size(), 3U);
  EXPECT_NEAR(scores.resampled[0], 100.0, 1e-9);
  EXPECT_NEAR(scores.resampled[1], four_right, 1e-9);
  EXPECT_NEAR(scores.resampled[2], scores.score, 1e-12);
}

TEST(PairedBootstrap, CountsByHand) {
  const BootstrapScores baseline{.score = 10, .resampled = {10, 10, 10, 10}};
  const BootstrapScores system{.score = 12, .resampled = {12, 13, 11, 12}};
  const PairedBootstrap paired = paired_bootstrap(baseline, system);
  EXPECT_EQ(paired.difference, 2.0);
  EXPECT_NEAR(paired.variance, 2.0 / 3.0, 1e-12);
  EXPECT_EQ(paired.interval, (Interval{1.0, 3.0}));
  EXPECT_EQ(paired.p, 0.2) << "no resample lies 2 from the mean: (0 + 1) / (4 + 1)";
  // Resampled differences 0.5, 1.5, -0.5, 0.5 less their mean 0.5: 0, 1, -1, 0; two of them are at least 0.5 from it.
  const PairedBootstrap near = paired_bootstrap(baseline, {.score = 10.5, .resampled = {10.5, 11.5, 9.5, 10.5}});
  EXPECT_NEAR(near.p, 0.6, 1e-12);
  // Their sizes 0.5, 1.5, 0.5, 0.5 less the mean 0.75: only 0.75 exceeds 0.5.
  EXPECT_NEAR(near.p_sacrebleu, 0.4, 1e-12);
  EXPECT_THROW(paired_bootstrap(baseline, {.score = 1, .resampled = {1}}), UserError);
  EXPECT_THROW(paired_bootstrap({}, {}), UserError);
}

TEST(PairedBootstrap, IntervalLeavesTheTailsOut) {
  BootstrapScores baseline, system;
  for (int i = 0; i < 200; ++i) {
    baseline.resampled.push_back(0.0);
    system.resampled.push_back(199.0 - i);
  }
  EXPECT_EQ(paired_bootstrap(baseline, system).interval, (Interval{5.0, 194.0}));
  EXPECT_EQ(paired_bootstrap(baseline, system, 0.2).interval, (Interval{20.0, 179.0}));
  EXPECT_NEAR(bootstrap_interval(system.resampled).half_width, 94.5, 1e-12);
  EXPECT_NEAR(bootstrap_interval(system.resampled).mean, 99.5, 1e-12);
}

}  // namespace
}  // namespace mha
