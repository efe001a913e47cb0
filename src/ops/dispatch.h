#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <optional>

namespace mha {

/// Calls f.template operator()<T>() with the C++ type of a float, bfloat16 or double tensor.
template <class F>
auto with_float_type(at::ScalarType type, F&& f) {
  switch (type) {
    case at::kFloat:
      return f.template operator()<float>();
    case at::kBFloat16:
      return f.template operator()<c10::BFloat16>();
    case at::kDouble:
      return f.template operator()<double>();
    default:
      TORCH_CHECK(false, "expected float, bfloat16 or double, got ", type);
  }
}

/// The same for what is kept in float or double only, such as parameters.
template <class F>
auto with_wide_type(at::ScalarType type, F&& f) {
  TORCH_CHECK(type == at::kFloat || type == at::kDouble, "expected float or double, got ", type);
  return type == at::kFloat ? f.template operator()<float>() : f.template operator()<double>();
}

/// The type that a tensor's kernels compute in and that statistics are kept in.
inline at::ScalarType wide_type(const at::Tensor& x) {
  return x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

/// An input of an autograd function that may be missing has to be optional: apply() asks undefined tensors for their
/// device.
inline std::optional<at::Tensor> if_defined(const at::Tensor& x) {
  return x.defined() ? std::optional(x) : std::nullopt;
}

}  // namespace mha
