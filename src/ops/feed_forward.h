#pragma once

#include <ATen/core/Tensor.h>

#include "ops/dropout.h"

namespace mha {

struct FeedForwardWeights {
  at::Tensor w_1, w_2;            // [d_ff, d_model] and [d_model, d_ff], fp32 (double)
  at::Tensor b_1 = {}, b_2 = {};  // [d_ff], [d_model]; both or neither
};

/// dropout(max(0, x W_1^T + b_1)) W_2^T + b_2 (Vaswani et al., 2017, equation 2). x [rows, d_model] -> same. The inner
/// activations are made in place and are all that is kept for the backward pass: where they are not above zero, relu or
/// dropout lets no gradient through. Differentiable in x and the weights.
at::Tensor relu_feed_forward(const at::Tensor& x, const FeedForwardWeights& weights, const DropoutSpec& dropout);

namespace reference {
at::Tensor relu_feed_forward(const at::Tensor& x, const FeedForwardWeights& weights, const DropoutSpec& dropout);
}  // namespace reference

}  // namespace mha
