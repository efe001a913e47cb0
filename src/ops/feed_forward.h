#pragma once

#include <ATen/core/Tensor.h>

#include "config/model_config.h"
#include "ops/dropout.h"

namespace mha {

/// w_3 and b_3 are for swiglu alone, which needs them. Biases: all or none.
struct FeedForwardWeights {
  at::Tensor w_1, w_2, w_3 = {};            // [d_ff, d_model], [d_model, d_ff], [d_ff, d_model]; fp32 (double)
  at::Tensor b_1 = {}, b_2 = {}, b_3 = {};  // [d_ff], [d_model], [d_ff]
};

/// dropout(a) W_2^T + b_2 with a, in rows of d_ff, by the activation:
///   relu    max(0, x W_1^T + b_1)                      (Vaswani et al., 2017, equation 2)
///   gelu    gelu(x W_1^T + b_1), the exact one         (Hendrycks and Gimpel, 2016)
///   swiglu  silu(x W_1^T + b_1) * (x W_3^T + b_3)      (Shazeer, 2020)
/// x [rows, d_model] -> same. For the backward pass relu keeps a alone (where it is not above zero, no gradient
/// passes); the others keep what the activation is taken of and make it and the dropout again. Differentiable in x and
/// the weights.
at::Tensor feed_forward(const at::Tensor& x, const FeedForwardWeights& weights, Activation activation,
                        const DropoutSpec& dropout);

namespace reference {
at::Tensor feed_forward(const at::Tensor& x, const FeedForwardWeights& weights, Activation activation,
                        const DropoutSpec& dropout);
}  // namespace reference

}  // namespace mha
