#pragma once

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace mha::testing {

/// How far a result may be from the reference in double, relative to the reference's largest element.
inline double tolerance(at::ScalarType type) { return type == at::kDouble ? 1e-10 : type == at::kFloat ? 1e-5 : 1e-2; }

inline void expect_close(const at::Tensor& ours, const at::Tensor& theirs, double relative,
                         const std::string& what = "value") {
  ASSERT_EQ(ours.sizes(), theirs.sizes()) << what;
  if (ours.numel() == 0) return;
  const at::Tensor a = ours.detach().to(at::kDouble), b = theirs.detach().to(at::kDouble);
  const double difference = (a - b).abs().max().item<double>();
  EXPECT_LE(difference, relative * (1e-3 + b.abs().max().item<double>())) << what;
}

using Function = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

/// The value of f and the gradients of its inputs when the value's gradient is `seed`.
inline std::vector<at::Tensor> value_and_gradients(const Function& f, const std::vector<at::Tensor>& inputs,
                                                   const at::Tensor& seed) {
  std::vector<at::Tensor> leaves;
  for (const at::Tensor& input : inputs) leaves.push_back(input.detach().clone().requires_grad_());
  const at::Tensor value = f(leaves);
  value.backward(seed.to(value.scalar_type()));
  std::vector<at::Tensor> results = {value.detach()};
  for (const at::Tensor& leaf : leaves) results.push_back(leaf.grad());
  return results;
}

/// `ours` on the inputs against `theirs` on the same inputs in double: values and gradients.
inline void expect_agreement(const Function& ours, const Function& theirs, const std::vector<at::Tensor>& inputs,
                             double relative) {
  std::vector<at::Tensor> wide;
  for (const at::Tensor& input : inputs) wide.push_back(input.to(at::kDouble));
  const at::Tensor shape = theirs(wide);
  // A gradient that bfloat16 holds exactly, so that both sides get the same.
  const at::Tensor seed = at::randn(shape.sizes(), at::kFloat).to(at::kBFloat16).to(at::kDouble);
  const auto a = value_and_gradients(ours, inputs, seed), b = value_and_gradients(theirs, wide, seed);
  expect_close(a[0], b[0], relative);
  for (std::size_t i = 1; i < a.size(); ++i) {
    ASSERT_TRUE(a[i].defined()) << "gradient of input " << i - 1;
    EXPECT_EQ(a[i].scalar_type(), inputs[i - 1].scalar_type()) << "gradient of input " << i - 1;
    expect_close(a[i], b[i], relative, "gradient of input " + std::to_string(i - 1));
  }
}

/// f with one and with two threads gives the same bits, values and gradients.
inline void expect_thread_independent(const Function& f, const std::vector<at::Tensor>& inputs) {
  const int before = at::get_num_threads();
  const at::Tensor seed = at::randn(f(inputs).sizes());
  at::set_num_threads(1);
  const auto one = value_and_gradients(f, inputs, seed);
  at::set_num_threads(2);
  const auto two = value_and_gradients(f, inputs, seed);
  at::set_num_threads(before);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(at::equal(one[i], two[i])) << "result " << i;
}

/// Tests that run once for each type of the activations.
class ForEachType : public ::testing::TestWithParam<at::ScalarType> {
 protected:
  ForEachType() { at::manual_seed(1); }
  at::Tensor random(at::IntArrayRef shape) const { return at::randn(shape, at::kDouble).to(GetParam()); }
  /// Parameters are float even where activations are bfloat16.
  at::Tensor parameter(at::IntArrayRef shape) const {
    return at::randn(shape, at::kDouble).to(GetParam() == at::kDouble ? at::kDouble : at::kFloat);
  }
};

inline std::string type_name(const ::testing::TestParamInfo<at::ScalarType>& info) { return c10::toString(info.param); }

#define MHA_FOR_EACH_TYPE(suite)                                                                    \
  INSTANTIATE_TEST_SUITE_P(Types, suite, ::testing::Values(at::kFloat, at::kBFloat16, at::kDouble), \
                           mha::testing::type_name)

}  // namespace mha::testing
