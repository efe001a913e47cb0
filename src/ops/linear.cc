#include "ops/linear.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

#include "ops/column_sum.h"
#include "ops/dispatch.h"

namespace mha {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// One node in place of the product's and the casts'.
struct Linear : torch::autograd::Function<Linear> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias) {
    const at::ScalarType type = x.scalar_type();
    const at::Tensor rows = x.reshape({-1, x.size(-1)}), w = weight.to(type);
    ctx->save_for_backward({rows, w});
    ctx->saved_data["type"] = weight.scalar_type();
    ctx->saved_data["has_bias"] = bias.has_value();
    std::vector<std::int64_t> shape = x.sizes().vec();
    shape.back() = w.size(0);
    return (bias ? at::addmm(bias->to(type), rows, w.t()) : at::mm(rows, w.t())).view(shape);
  }
  static variable_list backward(AutogradContext* ctx, const variable_list& gradients) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &rows = saved[0], &w = saved[1];
    const at::ScalarType type = ctx->saved_data["type"].toScalarType();
    const at::Tensor gradient = gradients[0].reshape({-1, w.size(0)}).contiguous();
    variable_list out(3);
    if (ctx->needs_input_grad(0)) {
      std::vector<std::int64_t> shape = gradients[0].sizes().vec();
      shape.back() = w.size(1);
      out[0] = at::mm(gradient, w).view(shape);
    }
    if (ctx->needs_input_grad(1)) out[1] = at::mm(gradient.t(), rows).to(type);
    if (ctx->saved_data["has_bias"].toBool() && ctx->needs_input_grad(2)) out[2] = column_sum(gradient).to(type);
    return out;
  }
};

}  // namespace

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (!x.is_cpu()) return reference::linear(x, weight, bias);
  return Linear::apply(x, weight, if_defined(bias));
}

namespace reference {

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const at::ScalarType type = x.scalar_type();
  return at::linear(x, weight.to(type), bias.defined() ? std::optional(bias.to(type)) : std::nullopt);
}

}  // namespace reference
}  // namespace mha
