#include "ops/adam.h"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <limits>
#include <vector>

#include "unit/ops/compare.h"

namespace mha {
namespace {

struct State {
  at::Tensor parameters, first, second;
  explicit State(const at::Tensor& start)
      : parameters(start.clone()), first(at::zeros_like(start)), second(at::zeros_like(start)) {}
};

/// Ten steps of ours in float and of the reference in double.
template <class Step>
void expect_same_course(const AdamOptions& options, Step&& our_step) {
  at::manual_seed(1);
  const at::Tensor start = at::randn({40'001});
  State ours(start), theirs(start.to(at::kDouble));
  for (std::int64_t step = 1; step <= 10; ++step) {
    const at::Tensor gradients = at::randn({40'001});
    our_step(ours.parameters, gradients, ours.first, ours.second, step, options);
    reference::adam_step(theirs.parameters, gradients.to(at::kDouble), theirs.first, theirs.second, step, options);
  }
  testing::expect_close(ours.parameters, theirs.parameters, 1e-6, "parameters");
  testing::expect_close(ours.first, theirs.first, 1e-6, "first moment");
  testing::expect_close(ours.second, theirs.second, 1e-6, "second moment");
}

/// What differs between the cases: scaled gradients, decay in the gradient, decay beside it.
const std::vector<AdamOptions> kCases = {{.lr = 0.01},
                                         {.lr = 0.01, .grad_scale = 1.0 / 4096},
                                         {.lr = 0.01, .weight_decay = 0.1},
                                         {.lr = 0.01, .weight_decay = 0.1, .decoupled = true}};

TEST(Adam, AgreesWithThePlainOne) {
  for (const AdamOptions& options : kCases) expect_same_course(options, &adam_step);
}

TEST(Adam, TheFusedOneAgreesWithThePlainOne) {
  for (const AdamOptions& options : kCases) expect_same_course(options, &fused_adam_step);
}

TEST(Adam, TheFirstStepIsTheLearningRateTimesTheSign) {
  State state(at::zeros({2}));
  at::Tensor gradients = at::full({2}, 5.0F);
  gradients[1].fill_(-0.25F);
  adam_step(state.parameters, gradients, state.first, state.second, 1, {.lr = 0.1, .eps = 1e-12});
  EXPECT_NEAR(state.parameters[0].item<double>(), -0.1, 1e-7);
  EXPECT_NEAR(state.parameters[1].item<double>(), 0.1, 1e-7);
}

TEST(Adam, ConstantGradientsStayAtTheLearningRate) {
  // With equal gradients the corrected moments are exactly g and g^2, so every step moves by lr.
  State state(at::zeros({1}));
  for (std::int64_t step = 1; step <= 50; ++step) {
    adam_step(state.parameters, at::full({1}, 3.0F), state.first, state.second, step, {.lr = 0.01, .eps = 1e-12});
  }
  EXPECT_NEAR(state.parameters.item<double>(), -0.5, 1e-5);
}

TEST(Adam, DecoupledDecayShrinksWithoutGradients) {
  State state(at::full({3}, 2.0F));
  adam_step(state.parameters, at::zeros({3}), state.first, state.second, 1,
            {.lr = 0.5, .weight_decay = 0.1, .decoupled = true});
  EXPECT_NEAR(state.parameters[2].item<double>(), 1.9, 1e-6);
}

TEST(NormOf, IsAccurateAndTheSameForAnyNumberOfThreads) {
  at::manual_seed(1);
  const at::Tensor x = at::randn({100'003});
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const double one = norm_of(x);
  at::set_num_threads(2);
  const double two = norm_of(x);
  at::set_num_threads(before);
  EXPECT_EQ(one, two);
  EXPECT_NEAR(one, x.to(at::kDouble).norm().item<double>(), 1e-9);
  EXPECT_EQ(norm_of(at::zeros({0})), 0);
}

TEST(NormOf, DoesNotOverflowInSinglePrecision) { EXPECT_NEAR(norm_of(at::full({4}, 1e30F)) / 2e30, 1, 1e-6); }

TEST(NormOf, ShowsWhatIsNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    at::Tensor x = at::zeros({50'000});
    x[33'333].fill_(bad);
    EXPECT_FALSE(std::isfinite(norm_of(x)));
  }
}

}  // namespace
}  // namespace mha
