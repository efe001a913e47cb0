// Gradients of the whole model against differences of its loss, in double. Dropout is on: its masks are functions of
// the step, so the loss is one fixed function of the weights.

#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/model/model_testing.h"

namespace mha {
namespace {

using testing::batch_of;
using testing::sentence;
using testing::shake_vectors;
using testing::small_spec;
using testing::training_context;

Transformer::Spec tiny(const std::string& kind) {
  Transformer::Spec spec = small_spec(kind);
  spec.model.encoder_layers = spec.model.decoder_layers = 1;
  spec.model.d_model = 5;
  spec.model.d_ff = 6;
  spec.model.dropout = 0.2;
  spec.model.activation_dropout = 0.1;
  spec.model.max_positions = 8;
  spec.attention.num_heads = 2;
  spec.attention.d_k = ValueOrWord<std::int64_t>::of(3);
  spec.attention.d_v = 2;
  spec.attention.attention_dropout = 0.2;
  return spec;
}

void compare(const Transformer::Spec& spec) {
  Transformer model(spec, at::kCPU);
  shake_vectors(model.parameters());
  model.parameters().flatten(at::kCPU, at::kDouble);
  ForwardContext context = training_context();
  context.dtype = at::kDouble;
  const BatchTensors batch =
      batch_of({sentence(3, 1), sentence(5, 2), {}}, {sentence(4, 3), sentence(2, 4), sentence(1, 5)});
  model.loss(batch, 0.1, context).smoothed.backward();

  const at::NoGradGuard no_grad;
  const auto loss_with = [&](double& weight, double value) {
    const double before = weight;
    weight = value;
    const double loss = model.loss(batch, 0.1, context).smoothed.item<double>();
    weight = before;
    return loss;
  };
  for (const auto& [name, value] : model.parameters().all()) {
    const at::Tensor gradient = value.grad().contiguous();
    auto* weights = static_cast<double*>(value.mutable_data_ptr());
    // Some elements of each: the first, the last and a few between.
    for (std::int64_t i = 0; i < value.numel(); i += std::max<std::int64_t>(1, (value.numel() - 1) / 4)) {
      constexpr double step = 1e-5;
      const double numeric =
          (loss_with(weights[i], weights[i] + step) - loss_with(weights[i], weights[i] - step)) / (2 * step);
      const double exact = gradient.const_data_ptr<double>()[i];
      EXPECT_NEAR(exact, numeric, 1e-6 * std::max(1.0, std::abs(numeric))) << name << " element " << i;
    }
  }
}

TEST(Gradients, PreNorm) {
  Transformer::Spec spec = tiny("scaled_dot");
  spec.model.positions = Positions::learned;
  spec.model.embedding_norm = true;
  spec.model.activation = Activation::gelu;
  compare(spec);
}

TEST(Gradients, PostNormRowsDroppedUntied) {
  Transformer::Spec spec = tiny("scaled_dot");
  spec.model.norm = NormPlace::post;
  spec.model.share_decoder_input_output_embed = false;
  spec.attention.attention_dropout_kind = AttnDropoutKind::row;
  compare(spec);
}

TEST(Gradients, RootMeanSquareAndGates) {
  Transformer::Spec spec = tiny("per_head");
  spec.model.norm_kind = NormKind::rmsnorm;
  spec.model.activation = Activation::swiglu;
  spec.model.share_all_embeddings = true;
  compare(spec);
}

}  // namespace
}  // namespace mha
