#include "ops/linear.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <c10/core/InferenceMode.h>

#include "unit/ops/compare.h"

namespace mha {
namespace {

class Linear : public testing::ForEachType {};
MHA_FOR_EACH_TYPE(Linear);

TEST_P(Linear, AgreesWithThePlainOne) {
  const std::vector<std::vector<std::int64_t>> shapes = {{37, 20}, {2, 3, 20}, {0, 20}};
  for (const auto& shape : shapes) {
    testing::expect_agreement([](const auto& in) { return mha::linear(in[0], in[1], in[2]); },
                              [](const auto& in) { return reference::linear(in[0], in[1], in[2]); },
                              {random(shape), parameter({9, 20}), parameter({9})}, testing::tolerance(GetParam()));
  }
}

TEST_P(Linear, WithoutBias) {
  testing::expect_agreement([](const auto& in) { return mha::linear(in[0], in[1], {}); },
                            [](const auto& in) { return reference::linear(in[0], in[1], {}); },
                            {random({300, 20}), parameter({9, 20})}, testing::tolerance(GetParam()));
}

TEST_P(Linear, WorksWithoutGradients) {
  const at::Tensor x = random({5, 20}), weight = parameter({9, 20}).requires_grad_(), bias = parameter({9});
  const at::Tensor with = mha::linear(x, weight, bias);
  const c10::InferenceMode guard;
  const at::Tensor without = mha::linear(x, weight, bias);
  EXPECT_TRUE(with.requires_grad());
  EXPECT_FALSE(without.requires_grad());
  EXPECT_TRUE(at::equal(with, without));
}

TEST_P(Linear, TakesStridedInput) {
  testing::expect_agreement([](const auto& in) { return mha::linear(in[0].t(), in[1], {}).t(); },
                            [](const auto& in) { return reference::linear(in[0].t(), in[1], {}).t(); },
                            {random({20, 6}), parameter({9, 20})}, testing::tolerance(GetParam()));
}

TEST_P(Linear, SeveralAsOne) {
  const auto joined = [](const auto& all) { return at::cat(all, 1) * all.front().sum(); };  // gradients differ
  for (const bool bias : {true, false}) {
    const auto biases = [&](const auto& in) {
      return bias ? std::vector<at::Tensor>{in[4], in[5], in[6]} : std::vector<at::Tensor>{};
    };
    std::vector<at::Tensor> inputs = {random({37, 20}), parameter({9, 20}), parameter({1, 20}), parameter({16, 20})};
    if (bias) inputs.insert(inputs.end(), {parameter({9}), parameter({1}), parameter({16})});
    testing::expect_agreement(
        [&](const auto& in) {
          return joined(joint_linear(in[0], {in[1], in[2], in[3]}, biases(in)));
        },
        [&](const auto& in) {
          return joined(reference::joint_linear(in[0], {in[1], in[2], in[3]}, biases(in)));
        },
        inputs, 5 * testing::tolerance(GetParam()));
  }
}

TEST_P(Linear, OneOfSeveralAloneHasItsGradient) {
  testing::expect_agreement(
      [](const auto& in) {
        return joint_linear(in[0], {in[1], in[2]}, {})[1];
      },
      [](const auto& in) { return reference::linear(in[0], in[2], {}) + 0 * in[1].sum(); },
      {random({37, 20}), parameter({9, 20}), parameter({4, 20})}, testing::tolerance(GetParam()));
}

TEST(JointLinear, AFrozenWeightDoesNotFreezeTheOthers) {
  const at::Tensor x = at::randn({5, 4}), frozen = at::randn({3, 4}), free = at::randn({2, 4}).requires_grad_();
  joint_linear(x, {frozen, free}, {})[1].sum().backward();
  testing::expect_close(free.grad(), x.sum(0).expand({2, 4}), 1e-6);
}

TEST_P(Linear, TheGradientsOfManyRowsAreAccurate) {
  // A bias whose gradient were added up in bfloat16 would be off by far more than its last place.
  const auto results =
      testing::value_and_gradients([](const auto& in) { return mha::linear(in[0], in[1], in[2]); },
                                   {random({4000, 8}), parameter({3, 8}), parameter({3})}, at::ones({4000, 3}));
  testing::expect_close(results[3], at::full({3}, 4000, at::kDouble), 1e-7);
}

}  // namespace
}  // namespace mha
