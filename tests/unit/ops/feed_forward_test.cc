#include "ops/feed_forward.h"

#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>

#include <limits>

#include "unit/ops/compare.h"

namespace mha {
namespace {

FeedForwardWeights weights(const std::vector<at::Tensor>& in) {
  return {.w_1 = in[1],
          .w_2 = in[2],
          .b_1 = in.size() > 3 ? in[3] : at::Tensor(),
          .b_2 = in.size() > 3 ? in[4] : at::Tensor()};
}

class ReluFeedForward : public testing::ForEachType {
 protected:
  void agree(const std::vector<at::Tensor>& inputs, const DropoutSpec& dropout) const {
    testing::expect_agreement([&](const auto& in) { return relu_feed_forward(in[0], weights(in), dropout); },
                              [&](const auto& in) { return reference::relu_feed_forward(in[0], weights(in), dropout); },
                              inputs, 3 * testing::tolerance(GetParam()));
  }
};
MHA_FOR_EACH_TYPE(ReluFeedForward);

/// Rows all of one sign: with inputs above zero no sum is so near to zero that rounding decides whether relu lets it
/// by.
at::Tensor one_sign_a_row(const at::Tensor& weight) { return weight.abs() * weight.narrow(1, 0, 1).sign(); }

TEST_P(ReluFeedForward, AgreesWithThePlainOne) {
  for (const double p : {0.0, 0.3}) {
    for (const std::int64_t rows : {1, 37, 700}) {
      agree({random({rows, 12}).abs() + 1, one_sign_a_row(parameter({30, 12})), parameter({12, 30}),
             parameter({30}) / 100, parameter({12})},
            {.p = p, .key = 4, .first_row = 9});
    }
  }
}

TEST_P(ReluFeedForward, WithoutBiases) {
  agree({random({50, 12}).abs() + 1, one_sign_a_row(parameter({7, 12})), parameter({12, 7})}, {});
}

TEST_P(ReluFeedForward, IsTheSameForAnyNumberOfThreads) {
  testing::expect_thread_independent(
      [](const auto& in) { return relu_feed_forward(in[0], weights(in), {.p = 0.3, .key = 4}); },
      {random({600, 32}), parameter({64, 32}), parameter({32, 64}), parameter({64}), parameter({32})});
}

TEST(ReluFeedForwardInput, NotANumberStaysSo) {
  const at::Tensor x = at::full({2, 3}, std::numeric_limits<float>::quiet_NaN());
  const FeedForwardWeights some{.w_1 = at::randn({4, 3}), .w_2 = at::randn({3, 4})};
  for (const double p : {0.0, 0.5})
    EXPECT_TRUE(relu_feed_forward(x, some, {.p = p, .key = 1}).isnan().any().item<bool>());
}

TEST(ReluFeedForwardInput, ShapesAreChecked) {
  EXPECT_THROW(relu_feed_forward(at::randn({2, 3}), {.w_1 = at::randn({4, 5}), .w_2 = at::randn({3, 4})}, {}),
               c10::Error);
  EXPECT_THROW(relu_feed_forward(at::randn({2, 3}),
                                 {.w_1 = at::randn({4, 3}), .w_2 = at::randn({3, 4}), .b_1 = at::randn({4})}, {}),
               c10::Error);
}

}  // namespace
}  // namespace mha
