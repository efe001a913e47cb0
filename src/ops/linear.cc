#include "ops/linear.h"

#include <ATen/ops/linear.h>

namespace mha {

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return reference::linear(x, weight, bias);
}

namespace reference {

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const at::ScalarType type = x.scalar_type();
  return at::linear(x, weight.to(type), bias.defined() ? std::optional(bias.to(type)) : std::nullopt);
}

}  // namespace reference
}  // namespace mha
