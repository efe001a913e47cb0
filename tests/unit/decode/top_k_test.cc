#include "decode/top_k.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "toy_model.h"

namespace mha {
namespace {

std::vector<TokenId> tokens_of(const std::vector<RankedToken>& scores) {
  std::vector<TokenId> tokens;
  for (const RankedToken& score : scores) tokens.push_back(score.token);
  return tokens;
}

std::vector<TokenId> sorted_best(const std::vector<float>& row, std::size_t k) {
  std::vector<TokenId> order;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i != SpecialIds::pad && i != SpecialIds::bos && std::isfinite(row[i])) order.push_back(static_cast<TokenId>(i));
  }
  std::stable_sort(order.begin(), order.end(), [&row](TokenId a, TokenId b) {
    return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)];
  });
  order.resize(std::min(order.size(), k));
  return order;
}

TEST(TopK, EqualsFullSortOnRandomRows) {
  RandomStream random(5);
  std::vector<RankedToken> best;
  for (int round = 0; round < 300; ++round) {
    std::vector<float> row(4 + random.below(700));
    // Few distinct values make many ties.
    const std::uint64_t distinct = round % 2 == 0 ? 5 : 1000000;
    for (float& x : row) x = -static_cast<float>(random.below(distinct)) / 100.0F;
    for (const std::size_t k : {1, 2, 5, 64, 1000}) {
      best_tokens(row, static_cast<std::int64_t>(k), best);
      ASSERT_EQ(tokens_of(best), sorted_best(row, k)) << "round " << round << ", k " << k;
      for (const RankedToken& score : best) ASSERT_EQ(score.log_prob, row[static_cast<std::size_t>(score.token)]);
    }
  }
}

TEST(TopK, LeavesOutWhatIsNotFinite) {
  std::vector<float> row(200, -5.0F);
  row[SpecialIds::pad] = row[SpecialIds::bos] = 0.0F;
  row[10] = std::numeric_limits<float>::quiet_NaN();
  row[11] = -kMinusInfinity;
  row[130] = kMinusInfinity;
  row[150] = -1.0F;
  std::vector<RankedToken> best;
  best_tokens(row, 500, best);
  EXPECT_EQ(best.size(), 200U - 5U);
  EXPECT_EQ(best.front().token, 150);
  EXPECT_EQ(tokens_of(best), sorted_best(row, 500));

  std::vector<float> nothing(70, std::numeric_limits<float>::quiet_NaN());
  best_tokens(nothing, 3, best);
  EXPECT_TRUE(best.empty());
}

TEST(TopK, RoundingAboveZeroIsCutOff) {
  std::vector<float> row(8, -20.0F);
  row[4] = 1e-7F;
  row[5] = 2e-7F;
  std::vector<RankedToken> best;
  best_tokens(row, 1, best);
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best[0].token, 4);
  EXPECT_EQ(best[0].log_prob, 0.0F);
}

}  // namespace
}  // namespace mha
