#include "ops/embedding.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randint.h>

#include "unit/ops/compare.h"

namespace mha {
namespace {

class Embed : public testing::ForEachType {
 protected:
  const at::Tensor tokens_ = at::randint(11, {300}, at::kLong), places_ = at::arange(300, at::kLong).remainder(7);
  EmbedOptions options(double dropout, at::ScalarType type) const {
    return {.scale = 3.5, .dropout = {.p = dropout, .key = 9}, .dtype = type};
  }
};
MHA_FOR_EACH_TYPE(Embed);

TEST_P(Embed, AgreesWithThePlainOne) {
  for (const double p : {0.0, 0.4}) {
    testing::expect_agreement(
        [&](const auto& in) { return embed(tokens_, places_, in[0], in[1], options(p, GetParam())); },
        [&](const auto& in) { return reference::embed(tokens_, places_, in[0], in[1], options(p, at::kDouble)); },
        {parameter({11, 13}), parameter({7, 13})}, testing::tolerance(GetParam()));
  }
}

TEST_P(Embed, FixedPositionsNeedNoGradient) {
  const at::Tensor positions = parameter({7, 300});
  testing::expect_agreement(
      [&](const auto& in) { return embed(tokens_, places_, in[0], positions, options(0.4, GetParam())); },
      [&](const auto& in) {
        return reference::embed(tokens_, places_, in[0], positions.to(at::kDouble), options(0.4, at::kDouble));
      },
      {parameter({11, 300})}, testing::tolerance(GetParam()));
}

TEST_P(Embed, IsTheSameForAnyNumberOfThreads) {
  const at::Tensor tokens = at::randint(500, {3000}, at::kLong), places = at::arange(3000, at::kLong).remainder(40);
  testing::expect_thread_independent(
      [&](const auto& in) { return embed(tokens, places, in[0], in[1], options(0.3, GetParam())); },
      {parameter({500, 32}), parameter({40, 32})});
}

TEST_P(Embed, RowsWithoutTokensGetNoGradient) {
  const auto results = testing::value_and_gradients(
      [&](const auto& in) {
        return embed(at::full({4}, 2, at::kLong), at::full({4}, 0, at::kLong), in[0], in[1], options(0, GetParam()));
      },
      {parameter({5, 3}), parameter({7, 3})}, at::randn({4, 3}));
  EXPECT_EQ((results[1] != 0).sum().item<std::int64_t>(), 3);
  EXPECT_EQ((results[2] != 0).sum().item<std::int64_t>(), 3);
}

TEST(EmbedIds, AreChecked) {
  const at::Tensor table = at::randn({5, 3}), bad = at::full({1}, 5, at::kLong), good = at::full({1}, 4, at::kLong);
  EXPECT_THROW(embed(bad, good, table, table, {}), c10::Error);
  EXPECT_THROW(embed(good, bad, table, table, {}), c10::Error);
  EXPECT_THROW(embed(at::full({1}, -1, at::kLong), good, table, table, {}), c10::Error);
  EXPECT_EQ(embed(at::empty({0}, at::kLong), at::empty({0}, at::kLong), table, table, {}).size(0), 0);
}

}  // namespace
}  // namespace mha
