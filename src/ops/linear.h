#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace mha {

/// x W^T + b with fp32 parameters: weight [out, in] and bias [out] (may be undefined) are cast to x's type, gradients
/// arrive in the parameters' own type. x [..., in] -> [..., out].
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// Several linear maps of the same rows as one product: x [rows, in], weights [out_i, in], biases [out_i] (none at all,
/// or one for each weight) -> [rows, out_i] each, side by side in one buffer. Differentiable like linear.
std::vector<at::Tensor> joint_linear(const at::Tensor& x, at::TensorList weights, at::TensorList biases);

namespace reference {
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);
std::vector<at::Tensor> joint_linear(const at::Tensor& x, at::TensorList weights, at::TensorList biases);
}  // namespace reference

}  // namespace mha
