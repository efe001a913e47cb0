#include "ops/norm.h"

namespace mha {

at::Tensor normalize(const at::Tensor& x, const NormWeights& norm) { return reference::normalize(x, norm); }

ResidualNorm add_dropout_norm(const at::Tensor& x, const at::Tensor& branch, const NormWeights& norm, double p, DropoutKey key) {
  return reference::add_dropout_norm(x, branch, norm, p, key);
}

}  // namespace mha
