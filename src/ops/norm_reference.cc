#include <ATen/TensorOperators.h>
#include <ATen/ops/rsqrt.h>

#include "ops/dropout_mask.h"
#include "ops/norm.h"

namespace mha::reference {

at::Tensor normalize(const at::Tensor& x, const NormWeights& norm) {
  const at::Tensor wide = x.scalar_type() == at::kBFloat16 ? x.to(at::kFloat) : x;
  const at::Tensor centred = norm.rms ? wide : wide - wide.mean(-1, /*keepdim=*/true);
  const at::Tensor scaled = centred * at::rsqrt(centred.square().mean(-1, /*keepdim=*/true) + norm.eps) * norm.gamma;
  return (norm.beta.defined() ? scaled + norm.beta : scaled).to(x.scalar_type());
}

ResidualNorm add_dropout_norm(const at::Tensor& x, const at::Tensor& branch, const NormWeights& norm,
                              const DropoutSpec& dropout) {
  const at::Tensor sum = x + reference::dropout(branch, dropout);
  return {sum, reference::normalize(sum, norm)};
}

}  // namespace mha::reference
