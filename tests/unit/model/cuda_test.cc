// The model on a CUDA device against the same on the processor. Skipped where there is no device.

#include <ATen/Context.h>

#include "unit/model/model_testing.h"

namespace mha {
namespace {

const testing::Sentences kSources = {testing::sentence(5, 1), testing::sentence(1, 2), testing::sentence(9, 3)};
const testing::Sentences kTargets = {testing::sentence(4, 4), testing::sentence(7, 5), testing::sentence(2, 6)};

struct Trained {
  double loss;
  at::Tensor gradients;
};

Trained trained(Transformer& model, const at::Device& device, at::ScalarType type) {
  ForwardContext context = testing::training_context();
  context.dtype = type;
  const TokenLoss loss = model.loss(testing::batch_of(kSources, kTargets, 1, device), 0.1, context);
  loss.smoothed.backward();
  return {loss.smoothed.item<double>(), model.parameters().flat_gradients().to(at::kCPU)};
}

class Cuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!at::hasCUDA()) GTEST_SKIP() << "there is no CUDA device";
  }

  static void expect_agreement(double attention_dropout, bool fused, at::ScalarType type, double relative) {
    Transformer::Spec spec = testing::small_spec();
    spec.model.dropout = 0.1;
    spec.attention.attention_dropout = attention_dropout;
    const at::Device device(at::kCUDA, 0);
    Transformer here(spec, at::kCPU), there(spec, device);
    ASSERT_TRUE(at::equal(here.parameters().flat_values(), there.parameters().flat_values().to(at::kCPU)));
    EXPECT_EQ(there.attention(AttnPlace::cross, 1).takes_fused_path(), fused);
    const Trained a = trained(here, at::kCPU, at::kFloat), b = trained(there, device, type);
    EXPECT_NEAR(b.loss, a.loss, relative * a.loss);
    EXPECT_LE(testing::largest_difference(a.gradients, b.gradients), relative * a.gradients.abs().max().item<double>());
  }
};

TEST_F(Cuda, FusedAttentionTrainsAsTheProcessor) { expect_agreement(0, true, at::kFloat, 1e-4); }
TEST_F(Cuda, AttentionDropoutTrainsAsTheProcessor) { expect_agreement(0.2, false, at::kFloat, 1e-4); }
TEST_F(Cuda, InBf16Too) { expect_agreement(0, true, at::kBFloat16, 5e-2); }

}  // namespace
}  // namespace mha
