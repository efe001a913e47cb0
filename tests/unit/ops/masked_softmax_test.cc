#include "ops/masked_softmax.h"

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <limits>

#include "unit/ops/compare.h"

namespace mha {
namespace {

class PrefixSoftmax : public testing::ForEachType {};
MHA_FOR_EACH_TYPE(PrefixSoftmax);

TEST_P(PrefixSoftmax, AgreesWithThePlainOne) {
  for (const std::int64_t t_k : {1, 16, 17, 41}) {
    const at::Tensor visible = at::tensor({0, 1, 16, 17, 41, 3}, at::kInt).view({2, 3});
    testing::expect_agreement([&](const auto& in) { return prefix_softmax(in[0], visible); },
                              [&](const auto& in) { return reference::prefix_softmax(in[0], visible); },
                              {random({2, 3, 3, t_k}) * 4}, testing::tolerance(GetParam()));
  }
}

TEST_P(PrefixSoftmax, IsTheSameForAnyNumberOfThreads) {
  const at::Tensor visible = at::full({9, 8}, 20, at::kInt);
  testing::expect_thread_independent([&](const auto& in) { return prefix_softmax(in[0], visible); },
                                     {random({9, 3, 8, 23})});
}

TEST_P(PrefixSoftmax, ARowThatSeesNothingIsZeroAndDisturbsNoOther) {
  const at::Tensor scores = random({2, 3, 4, 5}), seed = at::randn({2, 3, 4, 5});
  const at::Tensor all = at::full({2, 4}, 5, at::kInt), blind = all.clone();
  blind[1].fill_(0);
  const auto with =
      testing::value_and_gradients([&](const auto& in) { return prefix_softmax(in[0], blind); }, {scores}, seed);
  const auto without =
      testing::value_and_gradients([&](const auto& in) { return prefix_softmax(in[0], all); }, {scores}, seed);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE((with[i][1] == 0).all().item<bool>());
    EXPECT_TRUE(at::equal(with[i][0], without[i][0]));
  }
}

TEST_P(PrefixSoftmax, HiddenScoresDoNotMatter) {
  const at::Tensor visible = at::full({1, 2}, 3, at::kInt), scores = random({1, 1, 2, 6}),
                   seed = at::randn({1, 1, 2, 6});
  for (const double hidden :
       {1e30, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    at::Tensor wild = scores.clone();
    wild.narrow(3, 3, 3).fill_(hidden);
    const auto f = [&](const auto& in) { return prefix_softmax(in[0], visible); };
    const auto a = testing::value_and_gradients(f, {scores}, seed), b = testing::value_and_gradients(f, {wild}, seed);
    EXPECT_TRUE(at::equal(a[0], b[0]));
    EXPECT_TRUE(at::equal(a[1], b[1]));
  }
}

TEST_P(PrefixSoftmax, SurvivesScoresThatExpDoesNot) {
  const at::Tensor scores = at::tensor({1000.0, 999.0, -1000.0}).view({1, 1, 1, 3}).to(GetParam());
  const at::Tensor weights = prefix_softmax(scores, at::full({1, 1}, 3, at::kInt));
  EXPECT_NEAR(weights.sum().item<double>(), 1, 4e-3);
  EXPECT_EQ(weights.flatten()[2].item<double>(), 0);
}

TEST_P(PrefixSoftmax, ANaNAmongTheVisibleScoresIsSeen) {
  at::Tensor scores = at::zeros({1, 1, 1, 3}, GetParam());
  scores.view({3})[1].fill_(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(prefix_softmax(scores, at::full({1, 1}, 3, at::kInt)).isnan().any().item<bool>());
}

TEST_P(PrefixSoftmax, TheMaskedOneIsFiniteForBlindRows) {
  const at::Tensor visible = at::tensor({1, 0, 1, 0, 0, 0}, at::kInt).to(at::kBool).view({1, 1, 2, 3});
  const auto results = testing::value_and_gradients([&](const auto& in) { return masked_softmax(in[0], visible); },
                                                    {random({2, 2, 2, 3})}, at::randn({2, 2, 2, 3}));
  for (const at::Tensor& result : results) {
    EXPECT_TRUE(result.isfinite().all().item<bool>());
    EXPECT_TRUE((result.masked_select(visible.logical_not()) == 0).all().item<bool>());
  }
  EXPECT_NEAR(results[0].sum().item<double>(), 4, 0.02);
}

TEST(PrefixSoftmaxShapes, AreChecked) {
  EXPECT_THROW(prefix_softmax(at::zeros({2, 3, 4, 5}), at::zeros({2, 5}, at::kInt)), c10::Error);
}

}  // namespace
}  // namespace mha
