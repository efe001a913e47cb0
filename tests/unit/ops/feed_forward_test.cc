#include "ops/feed_forward.h"

#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>

#include <limits>

#include "unit/ops/compare.h"

namespace mha {
namespace {

/// Inputs are x, w_1, w_2, then w_3 for swiglu, then the biases if there are any.
FeedForwardWeights weights(const std::vector<at::Tensor>& in, Activation activation) {
  std::size_t next = 1;
  const auto take = [&] { return next < in.size() ? in[next++] : at::Tensor(); };
  FeedForwardWeights out{.w_1 = take(), .w_2 = take()};
  if (activation == Activation::swiglu) out.w_3 = take();
  out.b_1 = take();
  out.b_2 = take();
  if (activation == Activation::swiglu) out.b_3 = take();
  return out;
}

class FeedForwardOp : public testing::ForEachType {
 protected:
  void agree(const std::vector<at::Tensor>& inputs, Activation activation, const DropoutSpec& dropout) const {
    testing::expect_agreement(
        [&](const auto& in) { return feed_forward(in[0], weights(in, activation), activation, dropout); },
        [&](const auto& in) { return reference::feed_forward(in[0], weights(in, activation), activation, dropout); },
        inputs, 3 * testing::tolerance(GetParam()));
  }
  std::vector<at::Tensor> inputs(std::int64_t rows, Activation activation, bool biases) const {
    const std::int64_t d = 12, inner = 30;
    std::vector<at::Tensor> in = {random({rows, d}), parameter({inner, d}) / 3, parameter({d, inner})};
    const bool gated = activation == Activation::swiglu;
    if (gated) in.push_back(parameter({inner, d}) / 3);
    if (!biases) return in;
    in.push_back(parameter({inner}));
    in.push_back(parameter({d}));
    if (gated) in.push_back(parameter({inner}));
    return in;
  }
};
MHA_FOR_EACH_TYPE(FeedForwardOp);

/// Rows all of one sign: with inputs above zero no sum is so near to zero that rounding decides whether relu lets it
/// by.
at::Tensor one_sign_a_row(const at::Tensor& weight) { return weight.abs() * weight.narrow(1, 0, 1).sign(); }

TEST_P(FeedForwardOp, ReluAgreesWithThePlainOne) {
  for (const double p : {0.0, 0.3}) {
    for (const std::int64_t rows : {1, 37, 700}) {
      agree({random({rows, 12}).abs() + 1, one_sign_a_row(parameter({30, 12})), parameter({12, 30}),
             parameter({30}) / 100, parameter({12})},
            Activation::relu, {.p = p, .key = 4, .first_row = 9});
    }
  }
}

TEST_P(FeedForwardOp, ReluWithoutBiases) {
  agree({random({50, 12}).abs() + 1, one_sign_a_row(parameter({7, 12})), parameter({12, 7})}, Activation::relu, {});
}

TEST_P(FeedForwardOp, SmoothActivationsAgreeWithThePlainOnes) {
  for (const Activation activation : {Activation::gelu, Activation::swiglu}) {
    for (const bool biases : {false, true}) {
      for (const double p : {0.0, 0.3}) {
        for (const std::int64_t rows : {1, 37, 700}) {
          agree(inputs(rows, activation, biases), activation, {.p = p, .key = 4, .first_row = 9});
        }
      }
    }
  }
}

TEST_P(FeedForwardOp, IsTheSameForAnyNumberOfThreads) {
  for (const Activation activation : {Activation::relu, Activation::gelu, Activation::swiglu}) {
    testing::expect_thread_independent(
        [&](const auto& in) { return feed_forward(in[0], weights(in, activation), activation, {.p = 0.3, .key = 4}); },
        inputs(600, activation, true));
  }
}

TEST(FeedForwardInput, NotANumberStaysSo) {
  const at::Tensor x = at::full({2, 3}, std::numeric_limits<float>::quiet_NaN());
  const FeedForwardWeights some{.w_1 = at::randn({4, 3}), .w_2 = at::randn({3, 4})};
  for (const double p : {0.0, 0.5})
    EXPECT_TRUE(feed_forward(x, some, Activation::relu, {.p = p, .key = 1}).isnan().any().item<bool>());
}

TEST(FeedForwardInput, ShapesAreChecked) {
  const at::Tensor x = at::randn({2, 3}), w_1 = at::randn({4, 3}), w_2 = at::randn({3, 4}), b_1 = at::randn({4});
  const auto refuses = [&](const FeedForwardWeights& some, Activation activation) {
    EXPECT_THROW(feed_forward(x, some, activation, {}), c10::Error);
  };
  refuses({.w_1 = at::randn({4, 5}), .w_2 = w_2}, Activation::relu);
  refuses({.w_1 = w_1, .w_2 = w_2, .b_1 = b_1}, Activation::relu);
  refuses({.w_1 = w_1, .w_2 = w_2}, Activation::swiglu);
  refuses({.w_1 = w_1, .w_2 = w_2, .w_3 = w_1}, Activation::gelu);
  refuses({.w_1 = w_1, .w_2 = w_2, .w_3 = w_1, .b_1 = b_1, .b_2 = at::randn({3})}, Activation::swiglu);
}

}  // namespace
}  // namespace mha
