#include "metrics/seed_variance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "metrics/student_t.h"

namespace mha {
namespace {

TEST(SummarizeSeeds, ByStudentsT) {
  const SeedSummary three = summarize_seeds(std::vector{30.0, 31.0, 32.0});
  EXPECT_NEAR(three.mean, 31.0, 1e-12);
  EXPECT_NEAR(three.deviation.value(), 1.0, 1e-12);
  const double half = 4.302652729911275 / std::sqrt(3.0);  // t of 0.975 with 2 degrees of freedom
  EXPECT_NEAR(three.interval.value().low, 31.0 - half, 1e-9);
  EXPECT_NEAR(three.interval.value().high, 31.0 + half, 1e-9);
  const SeedSummary wide = summarize_seeds(std::vector{30.0, 32.0}, 0.5);
  EXPECT_NEAR(wide.interval.value().high, 32.0, 1e-9) << "t of 0.75 with one degree of freedom is 1";
}

TEST(SummarizeSeeds, OneSeedHasNoSpread) {
  const SeedSummary one = summarize_seeds(std::vector{30.0});
  EXPECT_EQ(one.mean, 30.0);
  EXPECT_FALSE(one.deviation);
  EXPECT_FALSE(one.interval);
}

TEST(DifferenceError, OfSeedsAloneIsTheTwoSampleT) {
  const auto [error, freedom] =
      difference_error({.seeds = 4.0, .seed_freedom = 6.0, .sentence_freedom = 99.0}, 0.0, 2, 4);
  EXPECT_NEAR(error, std::sqrt(4.0 * 0.75), 1e-12);
  EXPECT_NEAR(freedom, 6.0, 1e-12);
}

TEST(DifferenceError, OfSentencesAloneIsTheBootstrap) {
  const auto [error, freedom] = difference_error({.seed_freedom = 6.0, .sentence_freedom = 99.0}, 2.25, 3, 3);
  EXPECT_NEAR(error, 1.5, 1e-12);
  EXPECT_NEAR(freedom, 99.0, 1e-12);
}

TEST(DifferenceError, CountsWhatBothShowOnce) {
  // Variance 1 by sentences; each training's score varies by 3, of which resampling shows 2.
  const VarianceParts parts{.seeds = 3.0, .seed_freedom = 4.0, .shared = 2.0, .sentence_freedom = 99.0};
  const auto [error, freedom] = difference_error(parts, 1.0 + 2.0 * 0.5, 4, 4);
  EXPECT_NEAR(error * error, 1.0 + 3.0 * 0.5, 1e-12);
  EXPECT_NEAR(freedom, 2.5 * 2.5 / (1.5 * 1.5 / 4.0 + 2.0 * 2.0 / 99.0), 1e-12) << "Satterthwaite";
}

TEST(DifferenceError, IsNeverBelowTheBootstraps) {
  const VarianceParts lucky{.seeds = 0.1, .seed_freedom = 2.0, .shared = 2.0, .sentence_freedom = 99.0};
  const auto [error, freedom] = difference_error(lucky, 2.0, 2, 2);
  EXPECT_NEAR(error * error, 2.0, 1e-12);
  EXPECT_NEAR(freedom, 4.0 / (4.0 / 2.0 + 4.0 / 99.0), 1e-12) << "as if between seeds there were the 2 that is shared";
  EXPECT_EQ(difference_error({}, 0.0, 1, 1).error, 0.0);
}

TEST(SeedsNeeded, IsTheSmallestNumberThatIsEnough) {
  const VarianceParts parts{.seeds = 0.16, .seed_freedom = 8.0, .shared = 0.05, .sentence_freedom = 500.0};
  const SeedsQuestion question{.difference = 0.4, .sentence_variance = 0.005, .cells = 9};
  const SeedsNeeded needed = seeds_needed(parts, question);
  ASSERT_TRUE(needed.seeds);
  EXPECT_NEAR(needed.seed_deviation.value(), 0.4, 1e-12);
  EXPECT_NEAR(needed.sentence_deviation.value(), std::sqrt(0.005), 1e-12);
  const auto found_by = [&](std::int64_t seeds) {  // as if all degrees of freedom were infinite: a bound from below
    const double error = std::sqrt(0.005 + 2.0 * 0.16 / static_cast<double>(seeds));
    return (1.959963984540054 + 0.8416212335729143) * error;
  };
  EXPECT_LE(found_by(*needed.seeds), 0.4);
  EXPECT_GT(found_by(*needed.seeds - 2), 0.4) << "and not far more than that bound";
}

TEST(SeedsNeeded, IsAtLeastTwo) {
  EXPECT_EQ(seeds_needed({.seeds = 1e-6, .seed_freedom = 4, .sentence_freedom = 99}, {.difference = 1.0}).seeds, 2);
}

TEST(SeedsNeeded, NoneWhereSentencesAreTooFew) {
  const VarianceParts parts{.seeds = 0.01, .seed_freedom = 4.0, .sentence_freedom = 1e9};
  const SeedsNeeded needed = seeds_needed(parts, {.difference = 0.3, .sentence_variance = 0.25});
  EXPECT_FALSE(needed.seeds);
  EXPECT_NEAR(needed.smallest_difference.value(), (1.959963984540054 + 0.8416212335729143) * 0.5, 1e-6);
  EXPECT_TRUE(seeds_needed(parts, {.difference = 1.45, .sentence_variance = 0.25}).seeds);
}

TEST(SeedsNeeded, GrowsAsTheDifferenceShrinks) {
  const VarianceParts parts{.seeds = 0.25, .seed_freedom = 4.0, .sentence_freedom = 500.0};
  std::int64_t last = 2;
  for (const double difference : {1.0, 0.5, 0.3, 0.2}) {
    const auto seeds = seeds_needed(parts, {.difference = difference}).seeds;
    ASSERT_TRUE(seeds);
    EXPECT_GT(*seeds, last) << difference;
    last = *seeds;
  }
  EXPECT_NEAR(static_cast<double>(last), 2.0 * 0.25 * 7.849 / 0.04, 3.0) << "2 s^2 (z + z)^2 / D^2";
}

}  // namespace
}  // namespace mha
