#pragma once

#include <ATen/core/Tensor.h>

#include <utility>

#include "ops/dropout.h"

namespace mha {

/// A layer normalisation (Ba et al., 2016) or, without beta and with rms true, RMSNorm (Zhang and Sennrich, 2019) over
/// the last dimension; statistics in fp32 (double for double). gamma, beta: [width], fp32 parameters whatever x is.
struct NormWeights {
  at::Tensor gamma;
  at::Tensor beta = {};  // undefined: none
  double eps = 1e-5;
  bool rms = false;
};

/// x [rows, width] -> same shape and type. Differentiable in x, gamma, beta.
at::Tensor normalize(const at::Tensor& x, const NormWeights& norm);

struct ResidualNorm {
  at::Tensor sum;     // x + dropout(branch)
  at::Tensor normed;  // normalize(sum)
};

/// One pass over memory for what stands between two sub-layers: sum = x + dropout(branch), normed =
/// normalize(sum). Pre-norm goes on with both; post-norm with `normed` alone. Differentiable in all.
ResidualNorm add_dropout_norm(const at::Tensor& x, const at::Tensor& branch, const NormWeights& norm,
                              const DropoutSpec& dropout);

namespace reference {
at::Tensor normalize(const at::Tensor& x, const NormWeights& norm);
ResidualNorm add_dropout_norm(const at::Tensor& x, const at::Tensor& branch, const NormWeights& norm,
                              const DropoutSpec& dropout);
}  // namespace reference

}  // namespace mha
