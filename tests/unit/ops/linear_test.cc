#include "ops/linear.h"

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

TEST_P(Linear, TheGradientsOfManyRowsAreAccurate) {
  // A bias whose gradient were added up in bfloat16 would be off by far more than its last place.
  const auto results =
      testing::value_and_gradients([](const auto& in) { return mha::linear(in[0], in[1], in[2]); },
                                   {random({4000, 8}), parameter({3, 8}), parameter({3})}, at::ones({4000, 3}));
  testing::expect_close(results[3], at::full({3}, 4000, at::kDouble), 1e-7);
}

}  // namespace
}  // namespace mha
