// Length limits, the length penalty, and models that misbehave.

#include <gtest/gtest.h>

#include "decode/beam_search.h"
#include "toy_model.h"

namespace mha {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<Hypothesis> search_one(NextLogProbs next, std::int64_t max_length, const SearchOptions& options) {
  ToyModel model(7, max_length, std::move(next));
  return beam_search(model, pack({{10, 11, 12, 13, SpecialIds::eos}}), options).front();
}

TEST(LengthPenalty, Formulas) {
  EXPECT_DOUBLE_EQ(length_normalised(-6, 3, {.lenpen = 1}), -2.0);
  EXPECT_DOUBLE_EQ(length_normalised(-6, 4, {.lenpen = 0.5}), -3.0);
  EXPECT_DOUBLE_EQ(length_normalised(-6, 4, {.lenpen = 0}), -6.0);
  const SearchOptions wu{.lenpen = 1, .lenpen_type = LengthPenalty::wu};
  EXPECT_DOUBLE_EQ(length_normalised(-1.0, 2, wu), -0.8571428571428571);
  EXPECT_DOUBLE_EQ(length_normalised(-1.2, 6, wu), -0.6545454545454545);
}

TEST(LengthPenalty, MinusInfinityStaysEvenIfThePenaltyOverflows) {
  const double lowest = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(length_normalised(lowest, 9, {.lenpen = 1e6}), lowest);
  EXPECT_EQ(length_normalised(-3.0, 9, {.lenpen = 1e6}), 0.0);
}

TEST(OutputLimit, CountsEosOnBothSidesAndNeverPassesTheModel) {
  const SearchOptions options{.max_len_a = 1.2, .max_len_b = 10};
  EXPECT_EQ(output_limit(5, 1000, options), 16);
  EXPECT_EQ(output_limit(4, 1000, options), 14);  // 14.8 rounded down
  EXPECT_EQ(output_limit(500, 256, options), 256);
  EXPECT_EQ(output_limit(500, 256, {.max_len_a = 1e300, .max_len_b = 10}), 256);
  EXPECT_EQ(output_limit(1, 256, {.max_len_a = 0, .max_len_b = 1}), 1);
}

TEST(SearchLimits, ModelThatNeverSaysEosStopsAtTheLimit) {
  const NextLogProbs next = random_log_probs({.eos_bias = -1e9});
  for (const std::int64_t beam : {1, 3}) {
    for (const std::int64_t model_limit : {1, 2, 9, 100}) {
      const SearchOptions options{.beam = beam, .max_len_a = 1, .max_len_b = 7, .nbest = beam};
      const auto found = search_one(next, model_limit, options);
      const auto limit = static_cast<std::size_t>(std::min<std::int64_t>(12, model_limit));
      const double outputs = std::pow(3.0, static_cast<double>(limit - 1));  // of three words
      EXPECT_EQ(static_cast<double>(found.size()), std::min(static_cast<double>(beam), outputs));
      for (const Hypothesis& h : found) {
        EXPECT_EQ(h.tokens.size(), limit);
        EXPECT_EQ(h.tokens.back(), SpecialIds::eos);
        EXPECT_LT(h.log_prob, -1e8) << "the forced EOS counts";
      }
    }
  }
}

TEST(SearchLimits, NothingEndsBeforeTheShortestLength) {
  const NextLogProbs eager = random_log_probs({.eos_bias = 20});
  for (const std::int64_t beam : {1, 3}) {
    for (const std::int64_t min_len : {1, 2, 5, 9}) {
      const SearchOptions options{.beam = beam, .max_len_a = 0, .max_len_b = 7, .min_len = min_len, .nbest = beam};
      const auto found = search_one(eager, 100, options);
      EXPECT_EQ(static_cast<std::int64_t>(found.size()), beam);
      for (const Hypothesis& h : found) {
        EXPECT_GE(static_cast<std::int64_t>(h.tokens.size()), std::min<std::int64_t>(min_len, 7));
        EXPECT_EQ(std::count(h.tokens.begin(), h.tokens.end(), SpecialIds::eos), 1);
      }
      EXPECT_EQ(static_cast<std::int64_t>(found[0].tokens.size()), std::min<std::int64_t>(min_len, 7));
    }
  }
}

TEST(SearchLimits, NothingButNanEndsAtOnce) {
  const auto found =
      search_one([](const Tokens&, const Tokens&) { return std::vector<float>(7, kNan); }, 20, {.beam = 3});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].tokens, Tokens{SpecialIds::eos});
  EXPECT_EQ(found[0].log_prob, static_cast<double>(kMinusInfinity));
  EXPECT_EQ(found[0].score, static_cast<double>(kMinusInfinity));
}

TEST(SearchLimits, BadRowsLoseAgainstGoodOnes) {
  // After token 4 comes nothing; after 5 everything is as it should be. 4 looks better at first.
  const NextLogProbs next = [](const Tokens&, const Tokens& prefix) {
    std::vector<float> row(7, kNan);
    if (prefix.empty())
      row[4] = -0.1F, row[5] = -3.0F, row[6] = -kMinusInfinity;
    else if (prefix.back() == 5)
      row[6] = -0.1F;
    else if (prefix.back() == 6)
      row[SpecialIds::eos] = -0.2F;
    return row;
  };
  const auto found = search_one(next, 20, {.beam = 2, .nbest = 2});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].tokens, (Tokens{5, 6, SpecialIds::eos}));
  EXPECT_EQ(found[1].tokens, (Tokens{4, SpecialIds::eos}));
  EXPECT_NEAR(found[0].log_prob, -3.3, 1e-6);
  EXPECT_EQ(found[1].log_prob, static_cast<double>(kMinusInfinity));
}

TEST(SearchLimits, ForcedEosThatIsNotANumberStillEnds) {
  const NextLogProbs next = [](const Tokens&, const Tokens&) {
    std::vector<float> row(7, -1.0F);
    row[SpecialIds::eos] = kNan;
    return row;
  };
  for (const Hypothesis& h : search_one(next, 5, {.beam = 3, .nbest = 3})) {
    EXPECT_EQ(h.tokens.size(), 5U);
    EXPECT_EQ(h.tokens.back(), SpecialIds::eos);
    EXPECT_EQ(h.score, static_cast<double>(kMinusInfinity));
  }
}

TEST(SearchLimits, EqualCandidatesAreTakenInOrderOfTheirIds) {
  const NextLogProbs flat = [](const Tokens&, const Tokens&) { return std::vector<float>(7, -2.0F); };
  const auto found = search_one(flat, 3, {.beam = 3, .lenpen = 0, .max_len_b = 100, .nbest = 3});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].tokens, Tokens{SpecialIds::eos});       // step 1 fills the slots with 1 (UNK), 3 (EOS), 4
  EXPECT_EQ(found[1].tokens, (Tokens{1, SpecialIds::eos}));  // step 2: row 0 comes first, with 1 and 3
  EXPECT_EQ(found[2].tokens, (Tokens{1, 1, SpecialIds::eos}));
}

}  // namespace
}  // namespace mha
