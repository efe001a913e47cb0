#include "ops/recompute.h"

#include "ops/dropout.h"
#include "ops/linear.h"
#include "unit/ops/compare.h"

namespace mha {
namespace {

/// Two results, the second of which needs both inputs, with a parameter and dropout inside.
struct Layer {
  at::Tensor weight = at::randn({6, 6}).requires_grad_();
  int calls = 0;
  std::vector<at::Tensor> operator()(const std::vector<at::Tensor>& in) {
    ++calls;
    const at::Tensor y = dropout(mha::linear(in[0], weight, {}), {.p = 0.3, .key = 8});
    return {y, y * in[1] + in[0]};
  }
};

at::Tensor sum_of(const std::vector<at::Tensor>& results) { return results[0].square().sum() + results[1].sin().sum(); }

TEST(Recompute, GivesTheSameBitsAndTheSameGradients) {
  Layer layer;
  const at::Tensor a = at::randn({50, 6}).requires_grad_(), b = at::randn({50, 6}).requires_grad_();
  const at::Tensor direct = sum_of(layer({a, b}));
  direct.backward();
  const std::vector<at::Tensor> expected = {a.grad().clone(), b.grad().clone(), layer.weight.grad().clone()};
  for (const at::Tensor& leaf : {a, b, layer.weight}) leaf.mutable_grad().reset();

  layer.calls = 0;
  const at::Tensor again = sum_of(recomputed([&](const auto& in) { return layer(in); }, {a, b}));
  EXPECT_EQ(layer.calls, 1);
  again.backward();
  EXPECT_EQ(layer.calls, 2);
  EXPECT_TRUE(at::equal(direct, again));
  EXPECT_TRUE(at::equal(a.grad(), expected[0]));
  EXPECT_TRUE(at::equal(b.grad(), expected[1]));
  EXPECT_TRUE(at::equal(layer.weight.grad(), expected[2]));
}

TEST(Recompute, AnInputThatWantsNoGradientGetsNone) {
  Layer layer;
  const at::Tensor a = at::randn({5, 6}).requires_grad_(), b = at::randn({5, 6});
  sum_of(recomputed([&](const auto& in) { return layer(in); }, {a, b})).backward();
  EXPECT_TRUE(a.grad().defined());
  EXPECT_FALSE(b.grad().defined());
}

TEST(Recompute, WithoutGradientsItIsJustTheFunction) {
  Layer layer;
  recomputed([&](const auto& in) { return layer(in); }, {at::randn({5, 6}), at::randn({5, 6})});
  EXPECT_EQ(layer.calls, 1);
}

}  // namespace
}  // namespace mha
