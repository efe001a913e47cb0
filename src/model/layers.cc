#include "model/layers.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>

#include "ops/linear.h"

namespace mha {

Norm::Norm(const ModelConfig& config, const ParameterScope& scope) {
  weights_.eps = config.norm_eps;
  weights_.rms = config.norm_kind == NormKind::rmsnorm;
  weights_.gamma = scope.add("gamma", {config.d_model}, Init::ones());
  if (!weights_.rms) weights_.beta = scope.add("beta", {config.d_model}, Init::zeros());
}

FeedForward::FeedForward(const ModelConfig& config, const ParameterScope& scope, SiteCounter& sites)
    : activation_(config.activation), dropout_(config.activation_dropout), site_(sites.next()) {
  const std::int64_t d = config.d_model, inner = config.d_ff;
  weights_.w_1 = scope.add("w_1", {inner, d}, Init::xavier(d, inner));
  weights_.w_2 = scope.add("w_2", {d, inner}, Init::xavier(inner, d));
  const bool gated = activation_ == Activation::swiglu;
  if (gated) weights_.w_3 = scope.add("w_3", {inner, d}, Init::xavier(d, inner));
  if (!config.bias) return;
  weights_.b_1 = scope.add("b_1", {inner}, Init::zeros());
  weights_.b_2 = scope.add("b_2", {d}, Init::zeros());
  if (gated) weights_.b_3 = scope.add("b_3", {inner}, Init::zeros());
}

at::Tensor FeedForward::forward(const at::Tensor& x, const ForwardContext& context) const {
  return feed_forward(x, weights_, activation_, context.dropout(dropout_, site_));
}

ResidualStream::ResidualStream(const at::Tensor& x, const Norm* first)
    : post_(first == nullptr), sum_(x), input_(first == nullptr ? x : normalize(x, first->weights())) {}

ResidualStream::ResidualStream(NormPlace norm, const std::vector<at::Tensor>& tensors)
    : post_(norm == NormPlace::post), sum_(tensors.at(post_ ? 0 : 1)), input_(tensors.at(0)) {}

void ResidualStream::add(const at::Tensor& branch, const Norm& after, const DropoutSpec& dropout) {
  ResidualNorm next = add_dropout_norm(sum_, branch, after.weights(), dropout);
  input_ = next.normed;
  sum_ = post_ ? next.normed : next.sum;
}

std::vector<at::Tensor> ResidualStream::tensors() const {
  return post_ ? std::vector{input_} : std::vector{input_, sum_};
}

at::Tensor sinusoidal_positions(std::int64_t max_positions, std::int64_t d_model) {
  at::Tensor table = at::empty({max_positions, d_model}, at::kFloat);
  float* at = table.data_ptr<float>();
  for (std::int64_t t = 0; t < max_positions; ++t) {
    for (std::int64_t i = 0; i < d_model; ++i) {
      const double rate = std::pow(10000.0, -static_cast<double>(i / 2 * 2) / static_cast<double>(d_model));
      const double angle = static_cast<double>(t) * rate;
      at[t * d_model + i] = static_cast<float>(i % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

}  // namespace mha
