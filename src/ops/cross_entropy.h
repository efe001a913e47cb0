#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mha {

/// Sums over target tokens, base e.
struct TokenLoss {
  at::Tensor smoothed;  // scalar, fp32 (double for double); what is trained on; differentiable
  at::Tensor nll;       // scalar, detached: unsmoothed negative log-likelihood
};

/// Output projection and label-smoothed cross-entropy in one: logits = hidden weight^T are made for a few hundred rows
/// at a time and never exist as a whole; the gradients of hidden and weight are made in the forward pass when gradients
/// are wanted. The target distribution is (1 - smoothing) on the target plus smoothing spread evenly over all symbols
/// but `pad` (Szegedy et al., 2016; pad < 0: over all). hidden [rows, d_model] of float, bfloat16 or double; weight
/// [vocab, d_model] fp32 (double); targets int64 [rows];
/// a row with a negative target does not count and gets no gradient (it rounds the number of rows up).
struct CrossEntropyOptions {
  double smoothing = 0;
  std::int64_t pad = 0;
};
TokenLoss projected_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& targets,
                                  const CrossEntropyOptions& options);

namespace reference {
TokenLoss projected_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& targets,
                                  const CrossEntropyOptions& options);
}  // namespace reference

}  // namespace mha
