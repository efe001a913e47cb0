#include "ops/norm.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/zeros.h>

#include "unit/ops/compare.h"

namespace mha {
namespace {

class Norm : public testing::ForEachType {
 protected:
  void agree(std::int64_t rows, std::int64_t width, bool rms, bool beta, double p) const {
    const auto weights = [=](const auto& in) {
      return NormWeights{.gamma = in[2], .beta = beta ? in[3] : at::Tensor(), .eps = 1e-5, .rms = rms};
    };
    std::vector<at::Tensor> inputs = {random({rows, width}), random({rows, width}), parameter({width})};
    if (beta) inputs.push_back(parameter({width}));
    const auto both = [](const ResidualNorm& r) { return at::cat({r.sum, r.normed}, 1); };
    testing::expect_agreement(
        [&](const auto& in) { return both(add_dropout_norm(in[0], in[1], weights(in), {.p = p, .key = 3})); },
        [&](const auto& in) {
          return both(reference::add_dropout_norm(in[0], in[1], weights(in), {.p = p, .key = 3}));
        },
        inputs, 2 * testing::tolerance(GetParam()));
    testing::expect_agreement(
        [&](const auto& in) { return add_dropout_norm(in[0], in[1], weights(in), {.p = p, .key = 3}).normed; },
        [&](const auto& in) {
          return reference::add_dropout_norm(in[0], in[1], weights(in), {.p = p, .key = 3}).normed;
        },
        inputs, 2 * testing::tolerance(GetParam()));
    testing::expect_agreement([&](const auto& in) { return normalize(in[0] + in[1], weights(in)); },
                              [&](const auto& in) { return reference::normalize(in[0] + in[1], weights(in)); }, inputs,
                              2 * testing::tolerance(GetParam()));
  }
};
MHA_FOR_EACH_TYPE(Norm);

TEST_P(Norm, LayerNormAgreesWithThePlainOne) { agree(37, 24, false, true, 0); }
TEST_P(Norm, WithDropout) { agree(300, 19, false, true, 0.3); }
TEST_P(Norm, RmsNorm) { agree(33, 48, true, false, 0.3); }
TEST_P(Norm, WithoutBeta) { agree(5, 16, false, false, 0.1); }
TEST_P(Norm, DropoutAcrossABlockBoundary) { agree(523, 257, false, true, 0.5); }

TEST_P(Norm, ReferenceAgreesWithLibTorch) {
  const at::Tensor x = at::randn({7, 12}, at::kDouble), gamma = at::randn({12}, at::kDouble),
                   beta = at::randn({12}, at::kDouble);
  testing::expect_close(reference::normalize(x, {.gamma = gamma, .beta = beta}), at::layer_norm(x, {12}, gamma, beta),
                        1e-12);
}

TEST_P(Norm, TheSumAloneHasItsGradient) {
  const NormWeights weights{.gamma = parameter({8}), .beta = parameter({8})};
  testing::expect_agreement(
      [&](const auto& in) { return add_dropout_norm(in[0], in[1], weights, {.p = 0.5, .key = 3}).sum; },
      [&](const auto& in) { return reference::add_dropout_norm(in[0], in[1], weights, {.p = 0.5, .key = 3}).sum; },
      {random({9, 8}), random({9, 8})}, testing::tolerance(GetParam()));
}

TEST_P(Norm, IsTheSameForAnyNumberOfThreads) {
  testing::expect_thread_independent(
      [](const auto& in) {
        return add_dropout_norm(in[0], in[1], {.gamma = in[2], .beta = in[3]}, {.p = 0.3, .key = 5}).normed;
      },
      {random({700, 40}), random({700, 40}), parameter({40}), parameter({40})});
}

TEST_P(Norm, NoRowsAndConstantRowsAreFine) {
  const NormWeights weights{.gamma = parameter({6}), .beta = parameter({6})};
  EXPECT_EQ(normalize(random({0, 6}), weights).numel(), 0);
  testing::expect_close(normalize(at::zeros({2, 6}, GetParam()), weights)[1], weights.beta,
                        testing::tolerance(GetParam()));
}

TEST(NormShapes, AreChecked) {
  EXPECT_THROW(normalize(at::zeros({2, 6}), {.gamma = at::zeros({5})}), c10::Error);
  EXPECT_THROW(add_dropout_norm(at::zeros({2, 6}), at::zeros({3, 6}), {.gamma = at::zeros({6})}, {}), c10::Error);
}

}  // namespace
}  // namespace mha
