#include "ops/dropout.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <limits>

#include "ops/dropout_mask.h"
#include "unit/ops/compare.h"

namespace mha {
namespace {

/// The share of `hits` in `trials` is within 5 standard deviations of p.
void expect_share(std::int64_t hits, std::int64_t trials, double p) {
  const double n = static_cast<double>(trials);
  EXPECT_NEAR(static_cast<double>(hits), n * p, 5 * std::sqrt(n * p * (1 - p)));
}

TEST(DropoutMask, DropsTheRightShareForEveryProbability) {
  constexpr std::int64_t kCount = 300'000;
  for (const double p : {0.01, 0.1, 0.3, 0.5, 0.9}) {
    std::int64_t kept = 0;
    for (std::uint64_t i = 0; i < kCount; ++i) kept += dropout_keeps(11, i, p);
    expect_share(kept, kCount, 1 - p);
  }
}

TEST(DropoutMask, ElementsBlocksAndKeysAreIndependent) {
  constexpr std::int64_t kCount = 300'000;
  std::int64_t neighbours = 0, far = 0, blocks = 0, keys = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const bool here = !dropout_keeps(11, i, 0.3);
    neighbours += here && !dropout_keeps(11, i + 1, 0.3);
    far += here && !dropout_keeps(11, i + 128, 0.3);
    blocks += here && !dropout_keeps(11, i + kDropoutBlock, 0.3);
    keys += here && !dropout_keeps(12, i, 0.3);
  }
  for (const std::int64_t both : {neighbours, far, blocks, keys}) expect_share(both, kCount, 0.09);
}

TEST(DropoutMask, EveryBitOfTheHashIsFair) {
  constexpr std::int64_t kCount = 100'000;
  for (unsigned bit = 16; bit < 32; ++bit) {
    std::int64_t ones = 0;
    for (std::uint32_t i = 0; i < kCount; ++i) ones += dropout_bits(dropout_block(3, i / 1000), i % 1000) >> bit & 1U;
    expect_share(ones, kCount, 0.5);
  }
}

class Dropout : public testing::ForEachType {};
MHA_FOR_EACH_TYPE(Dropout);

TEST_P(Dropout, FollowsTheDefinitionAcrossBlocks) {
  const auto ours = [](const auto& in) { return mha::dropout(in[0], {.p = 0.3, .key = 5}); };
  const auto theirs = [](const auto& in) { return reference::dropout(in[0], {.p = 0.3, .key = 5}); };
  testing::expect_agreement(ours, theirs, {random({521, 257})}, testing::tolerance(GetParam()));
  testing::expect_agreement(ours, theirs, {random({1})}, testing::tolerance(GetParam()));
  testing::expect_agreement(ours, theirs, {random({0, 3})}, 0);
}

// The reference makes whole masks by tensor operations; here they are compared element by element.
TEST(DropoutReference, MasksFollowTheDefinition) {
  const DropoutSpec spec{.p = 0.3, .key = 5, .first_row = 1000};
  const at::Tensor x = at::ones({700, 257}, at::kDouble), kept = reference::dropout(x, spec);
  const double* value = kept.const_data_ptr<double>();
  for (std::uint64_t i = 0; i < 700 * 257; ++i) ASSERT_EQ(value[i] != 0, dropout_keeps(5, 1000 * 257 + i, 0.3)) << i;
  const std::vector<std::int64_t> offsets = {0, 6};
  for (const bool rows : {false, true}) {
    const AttnDropout settings{.p = 0.3, .whole_rows = rows, .key = 77, .first_row = 50'000};
    const at::Tensor all = reference::attention_dropout(at::ones({2, 3, 6, 9}, at::kDouble), settings, offsets);
    for (std::int64_t b = 0; b < 2; ++b) {
      for (std::int64_t h = 0; h < 3; ++h) {
        for (std::int64_t i = 0; i < 6; ++i) {
          for (std::int64_t j = 0; j < 9; ++j) {
            const auto r = static_cast<std::uint64_t>((50'000 + 6 * b + i) * 3 + h);
            ASSERT_EQ(all[b][h][i][j].item<double>() != 0,
                      dropout_keeps(77, rows ? r : r * kDropoutBlock + static_cast<std::uint64_t>(j), 0.3));
          }
        }
      }
    }
  }
}

TEST_P(Dropout, ARowIsDroppedAlikeInAnyPartOfTheBatch) {
  const at::Tensor x = random({400, 257});
  const at::Tensor whole = mha::dropout(x, {.p = 0.3, .key = 5});
  EXPECT_TRUE(at::equal(whole.narrow(0, 150, 200),
                        mha::dropout(x.narrow(0, 150, 200), {.p = 0.3, .key = 5, .first_row = 150})));
}

TEST_P(Dropout, IsTheSameForAnyNumberOfThreads) {
  testing::expect_thread_independent([](const auto& in) { return mha::dropout(in[0], {.p = 0.3, .key = 5}); },
                                     {random({600, 300})});
}

TEST_P(Dropout, AttentionWeightsFollowTheDefinition) {
  const std::vector<std::int64_t> offsets = {0, 9, 12};
  for (const bool rows : {false, true}) {
    const AttnDropout settings{.p = 0.3, .whole_rows = rows, .key = 77};
    testing::expect_agreement([&](const auto& in) { return attention_dropout(in[0], settings, offsets); },
                              [&](const auto& in) { return reference::attention_dropout(in[0], settings, offsets); },
                              {random({3, 5, 9, 37})}, testing::tolerance(GetParam()));
  }
}

TEST(AttentionDropout, DoesNotDependOnPadding) {
  const std::vector<std::int64_t> offsets = {0, 3};
  const at::Tensor narrow = at::ones({2, 2, 3, 5}), wide = at::ones({2, 2, 8, 11});
  for (const bool rows : {false, true}) {
    const AttnDropout settings{.p = 0.5, .whole_rows = rows, .key = 1};
    EXPECT_TRUE(at::equal(attention_dropout(narrow, settings, offsets),
                          attention_dropout(wide, settings, offsets).narrow(2, 0, 3).narrow(3, 0, 5)));
  }
}

TEST(AttentionDropout, RowKindDropsWholeRows) {
  const std::vector<std::int64_t> offsets = {0};
  const at::Tensor kept =
      attention_dropout(at::ones({1, 4, 200, 6}), {.p = 0.5, .whole_rows = true, .key = 9}, offsets).sum(-1);
  expect_share((kept == 12).sum().item<std::int64_t>(), 800, 0.5);
  expect_share((kept == 0).sum().item<std::int64_t>(), 800, 0.5);
}

TEST(DropoutFunction, ZeroProbabilityReturnsTheInputItself) {
  const at::Tensor x = at::ones({2, 1, 2, 2});
  EXPECT_TRUE(mha::dropout(x, {.p = 0, .key = 3}).is_same(x));
  EXPECT_TRUE(attention_dropout(x, {}, std::vector<std::int64_t>{0, 2}).is_same(x));
}

TEST(DropoutFunction, DroppedElementsAreZeroWhateverTheyWere) {
  const at::Tensor x = at::ones({1000}).fill_(std::numeric_limits<float>::quiet_NaN());
  const at::Tensor y = mha::dropout(x, {.p = 0.5, .key = 3});
  EXPECT_EQ((y == 0).sum().item<std::int64_t>() + y.isnan().sum().item<std::int64_t>(), 1000);
  EXPECT_GT((y == 0).sum().item<std::int64_t>(), 400);
}

}  // namespace
}  // namespace mha
