#pragma once

#include <ATen/core/Tensor.h>

namespace mha {

/// x W^T + b with fp32 parameters: weight [out, in] and bias [out] (may be undefined) are cast to x's type, gradients
/// arrive in the parameters' own type. x [..., in] -> [..., out].
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

namespace reference {
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);
}  // namespace reference

}  // namespace mha
