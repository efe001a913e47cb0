#include "ops/masked_softmax.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/softmax.h>

#include <limits>

namespace mha {

at::Tensor prefix_softmax(const at::Tensor& scores, const at::Tensor& visible) {
  return reference::prefix_softmax(scores, visible);
}

at::Tensor masked_softmax(const at::Tensor& scores, const at::Tensor& visible) {
  const at::Tensor hidden = visible.logical_not();
  // A row that sees nothing is made a row of zeros first: its softmax is finite, and so are the gradients.
  const at::Tensor blind = hidden.all(-1, /*keepdim=*/true);
  const at::Tensor masked = scores.masked_fill(hidden, -std::numeric_limits<double>::infinity()).masked_fill(blind, 0);
  const at::ScalarType wide = scores.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  return at::softmax(masked, -1, wide).masked_fill(hidden, 0).to(scores.scalar_type());
}

namespace reference {
at::Tensor prefix_softmax(const at::Tensor& scores, const at::Tensor& visible) {
  const at::Tensor key = at::arange(scores.size(-1), visible.options());
  return masked_softmax(scores, key < visible.unsqueeze(1).unsqueeze(-1));
}
}  // namespace reference

}  // namespace mha
