#include "ops/cross_entropy.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>

namespace mha {

TokenLoss projected_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& targets,
                                  const CrossEntropyOptions& options) {
  return reference::projected_cross_entropy(hidden, weight, targets, options);
}

namespace reference {

TokenLoss projected_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& targets,
                                  const CrossEntropyOptions& options) {
  const at::ScalarType wide = hidden.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor log_p = at::log_softmax(at::linear(hidden, weight.to(hidden.scalar_type())), -1, wide);
  const at::Tensor nll = -log_p.gather(-1, targets.unsqueeze(-1)).sum();
  at::Tensor even = -log_p.sum();
  std::int64_t symbols = weight.size(0);
  if (options.pad >= 0) {
    even = even + log_p.select(-1, options.pad).sum();
    --symbols;
  }
  const at::Tensor smoothed = nll * (1 - options.smoothing) + even * (options.smoothing / static_cast<double>(symbols));
  return {smoothed, nll.detach()};
}

}  // namespace reference
}  // namespace mha
