#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "config/model_config.h"
#include "model/context.h"
#include "model/parameters.h"
#include "ops/feed_forward.h"
#include "ops/norm.h"

namespace mha {

/// The parameters of one normalisation.
class Norm {
 public:
  Norm(const ModelConfig& config, const ParameterScope& scope);
  const NormWeights& weights() const { return weights_; }

 private:
  NormWeights weights_;
};

/// The position-wise block: relu or gelu: W_2 act(W_1 x); swiglu: W_2 (silu(W_1 x) * W_3 x). [rows, d_model] -> same.
/// relu is one operation (ops/feed_forward.h).
class FeedForward {
 public:
  FeedForward(const ModelConfig& config, const ParameterScope& scope, SiteCounter& sites);
  at::Tensor forward(const at::Tensor& x, const ForwardContext& context) const;

 private:
  Activation activation_;
  double dropout_;
  std::uint64_t site_;
  FeedForwardWeights weights_;
};

/// The residual stream between sub-layers. Pre-norm: the next sub-layer reads norm(sum) and the sum flows on;
/// post-norm: it reads and the stream carries norm(sum).
class ResidualStream {
 public:
  /// `first`: the norm before the first sub-layer (pre-norm) or nullptr (post-norm).
  ResidualStream(const at::Tensor& x, const Norm* first);
  /// One that holds what tensors() of another gave; further tensors are left alone.
  ResidualStream(NormPlace norm, const std::vector<at::Tensor>& tensors);
  /// What the next sub-layer reads.
  const at::Tensor& input() const { return input_; }
  /// All that it holds.
  std::vector<at::Tensor> tensors() const;
  /// Adds a sub-layer's output, dropped out. `after`: the norm between this sum and the next reader.
  void add(const at::Tensor& branch, const Norm& after, const DropoutSpec& dropout);

 private:
  bool post_;
  at::Tensor sum_, input_;
};

/// Sine and cosine positions: pe[t, 2i] = sin(t / 10000^(2i/d)), pe[t, 2i+1] = cos(same) (Vaswani et al., 2017, section
/// 3.5); a last odd column is a sine. fp32 [max_positions, d_model].
at::Tensor sinusoidal_positions(std::int64_t max_positions, std::int64_t d_model);

}  // namespace mha
