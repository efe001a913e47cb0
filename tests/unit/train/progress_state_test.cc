#include "train/progress_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "support/message_of.h"

namespace mha {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// Through text, as in a checkpoint.
ProgressState written_and_read(const ProgressState& state, bool higher_is_better = false) {
  ProgressState other;
  other.best = BestTracker(higher_is_better);
  other.from_json(parse_json(dump_json(state.to_json(), -1), "test"), "test");
  return other;
}

TEST(BestTracker, NanIsNeverBest) {
  BestTracker tracker(/*higher_is_better=*/true);
  EXPECT_FALSE(tracker.observe(kNan, 0));
  EXPECT_FALSE(tracker.value().has_value());
  EXPECT_TRUE(tracker.observe(20, 1));
  EXPECT_TRUE(tracker.observe(25, 2));
  EXPECT_FALSE(tracker.observe(kNan, 3));
  EXPECT_EQ(tracker.value(), 25);
  EXPECT_EQ(tracker.update(), 2);
  EXPECT_EQ(tracker.without_improvement(), 1);
}

TEST(BestTracker, LowerLossesAreBetterAndEqualOnesAreNot) {
  BestTracker tracker(/*higher_is_better=*/false);
  EXPECT_FALSE(tracker.observe(kInf, 1));
  EXPECT_FALSE(tracker.observe(-kInf, 2));
  EXPECT_EQ(tracker.without_improvement(), 2);
  EXPECT_TRUE(tracker.observe(3, 3));
  EXPECT_EQ(tracker.without_improvement(), 0);
  EXPECT_FALSE(tracker.observe(3, 4));
  EXPECT_FALSE(tracker.observe(4, 5));
  EXPECT_TRUE(tracker.observe(2.5, 6));
  EXPECT_EQ(tracker.update(), 6);
}

UpdateSums some_sums(double seed) {
  UpdateSums sums;
  sums.loss = seed / 3, sums.nll = seed * 1e-300, sums.gnorm = std::sqrt(seed), sums.seconds = 1 / seed,
  sums.wait_seconds = seed * 1e17;
  sums.updates = 3, sums.clipped = 1, sums.target_tokens = (1LL << 53) - 1, sums.source_tokens = 5, sums.sentences = 6,
  sums.positions = 7;
  return sums;
}

void expect_same(const UpdateSums& a, const UpdateSums& b) {
  for (const auto member :
       {&UpdateSums::loss, &UpdateSums::nll, &UpdateSums::gnorm, &UpdateSums::seconds, &UpdateSums::wait_seconds}) {
    EXPECT_TRUE(same_bits(a.*member, b.*member)) << a.*member << " " << b.*member;
  }
  for (const auto member : {&UpdateSums::updates, &UpdateSums::clipped, &UpdateSums::target_tokens,
                            &UpdateSums::source_tokens, &UpdateSums::sentences, &UpdateSums::positions}) {
    EXPECT_EQ(a.*member, b.*member);
  }
}

TEST(UpdateSums, SurviveTextToTheLastBit) {
  for (const double seed : {1.0, 0.1, 7.3, 123456.789, 1e-300}) {
    ProgressState state;
    state.total = some_sums(seed);
    expect_same(written_and_read(state).total, some_sums(seed));
  }
}

// Micro-batches of 2 and 8 tokens: the mean is over tokens, not over batches.
TEST(UpdateSums, WeighBatchesByTheirTokens) {
  const json numbers = read_json(std::filesystem::path(MHA_TEST_DATA) / "numeric/numbers.json").at("accumulation");
  UpdateSums sums;
  for (const json& batch : numbers.at("micro_batches")) {
    UpdateSums one;
    one.nll = batch.at("nll_sum").get<double>();
    one.target_tokens = batch.at("tokens").get<std::int64_t>();
    sums += one;
  }
  const double mean = sums.nll / static_cast<double>(sums.target_tokens);
  EXPECT_DOUBLE_EQ(mean, numbers.at("right_mean").get<double>());
  EXPECT_DOUBLE_EQ(std::exp(mean), numbers.at("right_ppl").get<double>());
}

TEST(UpdateSums, EveryFieldIsAdded) {
  UpdateSums sums = some_sums(2);
  sums += some_sums(2);
  EXPECT_EQ(sums.positions, 14);
  EXPECT_EQ(sums.clipped, 2);
  EXPECT_DOUBLE_EQ(sums.wait_seconds, 4e17);
  EXPECT_DOUBLE_EQ(sums.loss, 4.0 / 3);
}

TEST(ProgressState, SurvivesText) {
  ProgressState state;
  state.update = 17, state.epoch = 2, state.next_epoch = 3, state.next_batch = 5, state.skipped_updates = 1;
  state.validated_update = 15, state.restarts = 4, state.events_position = 12345;
  state.peak_resident_bytes = 1LL << 40;
  state.validation_seconds = 0.1, state.saving_seconds = 0.7, state.total_seconds = 1.0 / 3;
  state.started = "2026-01-31T12:34:56Z";
  state.total = some_sums(9), state.since_log = some_sums(4);
  const ProgressState other = written_and_read(state);
  EXPECT_EQ(other.to_json(), state.to_json());
  EXPECT_EQ(other.position(), (BatchPosition{3, 5}));
  EXPECT_EQ(other.started, state.started);
  EXPECT_TRUE(same_bits(other.total_seconds, state.total_seconds));
  expect_same(other.total, state.total);
  expect_same(other.since_log, state.since_log);
}

TEST(ProgressState, RemembersTheBest) {
  ProgressState state;
  state.best = BestTracker(true);
  EXPECT_FALSE(written_and_read(state).best.value().has_value());
  state.best.observe(0.1 + 0.2, 7);
  state.best.observe(0.1, 9);
  ProgressState other = written_and_read(state, /*higher_is_better=*/true);
  EXPECT_TRUE(same_bits(*other.best.value(), 0.1 + 0.2));
  EXPECT_EQ(other.best.update(), 7);
  EXPECT_EQ(other.best.without_improvement(), 1);
  EXPECT_FALSE(other.best.observe(0.3, 10));
  EXPECT_TRUE(other.best.observe(0.4, 11));
}

TEST(ProgressState, OneOfAnOlderVersionIsRead) {
  ProgressState old_state, state;
  old_state.update = 3;
  json text = old_state.to_json();
  text.erase("peak_resident_bytes");
  state.from_json(text, "a-file");
  EXPECT_EQ(state.update, 3);
  EXPECT_EQ(state.peak_resident_bytes, 0);
}

TEST(ProgressState, WhatIsNoStateIsRefusedByName) {
  json text = ProgressState().to_json();
  text.erase("next_batch");
  ProgressState state;
  EXPECT_THAT(testing::message_of([&] { state.from_json(text, "a-file"); }),
              ::testing::AllOf(::testing::HasSubstr("a-file"), ::testing::HasSubstr("next_batch")));
}

}  // namespace
}  // namespace mha
