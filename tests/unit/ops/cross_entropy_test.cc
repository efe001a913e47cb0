#include "ops/cross_entropy.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/tensor.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "unit/ops/compare.h"

namespace mha {
namespace {

/// Logits of these probabilities for one row: hidden = log p, projected with the identity.
TokenLoss loss_of(const std::vector<double>& probabilities, std::int64_t target, const CrossEntropyOptions& options) {
  const auto symbols = static_cast<std::int64_t>(probabilities.size());
  const at::Tensor hidden = at::tensor(probabilities, at::kDouble).log().view({1, symbols});
  return projected_cross_entropy(hidden, at::eye(symbols, at::kDouble), at::full({1}, target, at::kLong), options);
}

TEST(CrossEntropy, GivesThePublishedNumbers) {
  std::ifstream file(MHA_TEST_DATA "/numeric/numbers.json");
  const nlohmann::json expected = nlohmann::json::parse(file)["label_smoothing"];
  const TokenLoss loss = loss_of(expected["probs"].get<std::vector<double>>(), expected["target"].get<std::int64_t>(),
                                 {.smoothing = expected["eps"].get<double>(), .pad = -1});
  EXPECT_NEAR(loss.nll.item<double>(), expected["nll"].get<double>(), 1e-12);
  EXPECT_NEAR(std::exp(loss.nll.item<double>()), expected["ppl_to_report"].get<double>(), 1e-12);
  EXPECT_NEAR(loss.smoothed.item<double>(), expected["training_loss_uniform_over_vocab"].get<double>(), 1e-12);
}

TEST(CrossEntropy, PadGetsNoSmoothingMass) {
  // By hand: 0.9 * -log 0.7 + 0.1 / 3 * (-log 0.7 - 2 log 0.1); symbol 1 is the pad.
  const TokenLoss loss = loss_of({0.7, 0.1, 0.1, 0.1}, 0, {.smoothing = 0.1, .pad = 1});
  EXPECT_NEAR(loss.smoothed.item<double>(), -(0.9 + 0.1 / 3) * std::log(0.7) - 0.2 / 3 * std::log(0.1), 1e-12);
}

class CrossEntropyTypes : public testing::ForEachType {};
MHA_FOR_EACH_TYPE(CrossEntropyTypes);

TEST_P(CrossEntropyTypes, AgreesWithThePlainOne) {
  for (const std::int64_t rows : {1, 7, 1100}) {
    for (const std::int64_t pad : {-1, 3}) {
      for (const double smoothing : {0.0, 0.1}) {
        const at::Tensor targets = at::randint(53, {rows}, at::kLong);
        const CrossEntropyOptions options{.smoothing = smoothing, .pad = pad};
        testing::expect_agreement(
            [&](const auto& in) { return projected_cross_entropy(in[0], in[1], targets, options).smoothed * 0.25; },
            [&](const auto& in) {
              return reference::projected_cross_entropy(in[0], in[1], targets, options).smoothed * 0.25;
            },
            {random({rows, 20}), parameter({53, 20})}, 2 * testing::tolerance(GetParam()));
      }
    }
  }
}

TEST_P(CrossEntropyTypes, RowsWithANegativeTargetDoNotCount) {
  const at::Tensor hidden = random({70, 12}), weight = parameter({31, 12}), targets = at::randint(31, {70}, at::kLong);
  at::Tensor marked = targets.clone();
  marked.narrow(0, 64, 6).fill_(-1);
  const CrossEntropyOptions options{.smoothing = 0.1, .pad = 0};
  const auto loss_with = [&](const at::Tensor& t) {
    return [&, t](const auto& in) { return mha::projected_cross_entropy(in[0], in[1], t, options).smoothed; };
  };
  testing::expect_agreement(
      loss_with(marked),
      [&](const auto& in) { return reference::projected_cross_entropy(in[0], in[1], marked, options).smoothed; },
      {hidden, weight}, 2 * testing::tolerance(GetParam()));
  const at::Tensor one = at::full({}, 1);
  const auto all = testing::value_and_gradients(loss_with(marked), {hidden, weight}, one);
  const auto fewer =
      testing::value_and_gradients(loss_with(targets.narrow(0, 0, 64)), {hidden.narrow(0, 0, 64), weight}, one);
  EXPECT_EQ(all[0].item<double>(), fewer[0].item<double>());
  EXPECT_TRUE((all[1].narrow(0, 64, 6) == 0).all().item<bool>());
}

TEST_P(CrossEntropyTypes, NllIsUnsmoothedAndTheSameWithoutGradients) {
  const at::Tensor hidden = random({600, 12}), weight = parameter({31, 12}),
                   targets = at::randint(31, {600}, at::kLong);
  const CrossEntropyOptions options{.smoothing = 0.1, .pad = 0};
  const TokenLoss plain = projected_cross_entropy(hidden, weight, targets, options);
  const TokenLoss trained = projected_cross_entropy(hidden, weight.detach().clone().requires_grad_(), targets, options);
  EXPECT_FALSE(plain.smoothed.requires_grad());
  EXPECT_TRUE(trained.smoothed.requires_grad());
  EXPECT_FALSE(trained.nll.requires_grad());
  EXPECT_EQ(plain.nll.item<double>(), trained.nll.item<double>());
  EXPECT_EQ(plain.smoothed.item<double>(), trained.smoothed.item<double>());
  const at::Tensor wide =
      reference::projected_cross_entropy(hidden.to(at::kDouble), weight.to(at::kDouble), targets, options).nll;
  testing::expect_close(plain.nll, wide, testing::tolerance(GetParam()));
}

TEST_P(CrossEntropyTypes, IsTheSameForAnyNumberOfThreads) {
  // Small products, so that only our own loops are divided among threads.
  const at::Tensor targets = at::randint(10, {700}, at::kLong);
  testing::expect_thread_independent(
      [&](const auto& in) { return projected_cross_entropy(in[0], in[1], targets, {.smoothing = 0.1}).smoothed; },
      {random({700, 4}), parameter({10, 4})});
}

TEST_P(CrossEntropyTypes, NoRowsLoseNothing) {
  const TokenLoss loss = projected_cross_entropy(random({0, 4}), parameter({10, 4}), at::empty({0}, at::kLong), {});
  EXPECT_EQ(loss.smoothed.item<double>(), 0);
}

TEST_P(CrossEntropyTypes, ANonFiniteLossIsReported) {
  at::Tensor hidden = random({3, 4});
  hidden[1].fill_(std::numeric_limits<double>::quiet_NaN());
  const at::Tensor targets = at::randint(10, {3}, at::kLong);
  const TokenLoss loss = projected_cross_entropy(hidden.requires_grad_(), parameter({10, 4}), targets, {});
  EXPECT_FALSE(std::isfinite(loss.nll.item<double>()));
  EXPECT_FALSE(std::isfinite(loss.smoothed.item<double>()));
  loss.smoothed.backward();
  EXPECT_TRUE(hidden.grad()[0].isfinite().all().item<bool>());
}

TEST(CrossEntropy, SurvivesLogitsThatExpDoesNot) {
  const at::Tensor hidden = at::tensor({1000.0, -1000.0}).view({2, 1}).to(at::kFloat),
                   weight = at::tensor({1.0, 0.0}).view({2, 1}).to(at::kFloat);
  const TokenLoss loss =
      projected_cross_entropy(hidden, weight, at::full({2}, 0, at::kLong), {.smoothing = 0, .pad = -1});
  EXPECT_FLOAT_EQ(loss.nll.item<float>(), 1000.0F);
}

TEST(CrossEntropy, RefusesWhatDoesNotFit) {
  const at::Tensor hidden = at::randn({2, 4}), weight = at::randn({5, 4});
  EXPECT_THROW(projected_cross_entropy(hidden, weight, at::full({2}, 5, at::kLong), {}), c10::Error);
  EXPECT_THROW(projected_cross_entropy(hidden, weight, at::full({3}, 1, at::kLong), {}), c10::Error);
}

}  // namespace
}  // namespace mha
