#include "ops/linear.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

#include "ops/column_sum.h"
#include "ops/columns.h"
#include "ops/dispatch.h"

namespace mha {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Parameters one below the other, cast to `type`.
at::Tensor stacked(at::TensorList parameters, at::ScalarType type) {
  if (parameters.size() == 1) return parameters.front().to(type);
  std::int64_t rows = 0;
  for (const at::Tensor& parameter : parameters) rows += parameter.size(0);
  std::vector<std::int64_t> shape = parameters.front().sizes().vec();
  shape.front() = rows;
  at::Tensor out = at::empty(shape, parameters.front().options().dtype(type));
  std::int64_t begin = 0;
  for (const at::Tensor& parameter : parameters) {
    out.narrow(0, begin, parameter.size(0)).copy_(parameter);
    begin += parameter.size(0);
  }
  return out;
}

/// One node in place of the products' and the casts'. Inputs: x, the weights, the biases; a result for each weight.
struct Linear : torch::autograd::Function<Linear> {
  static variable_list forward(AutogradContext* ctx, const at::Tensor& x, at::TensorList weights,
                               at::TensorList biases) {
    const at::ScalarType type = x.scalar_type();
    const at::Tensor rows = x.reshape({-1, x.size(-1)}), w = stacked(weights, type);
    ctx->save_for_backward({rows, w});
    std::vector<std::int64_t> widths;
    for (const at::Tensor& weight : weights) widths.push_back(weight.size(0));
    ctx->saved_data["widths"] = widths;
    ctx->saved_data["type"] = weights.front().scalar_type();
    ctx->saved_data["has_bias"] = !biases.empty();
    const at::Tensor y = biases.empty() ? at::mm(rows, w.t()) : at::addmm(stacked(biases, type), rows, w.t());
    variable_list out;
    std::int64_t begin = 0;
    for (const std::int64_t width : widths) {
      std::vector<std::int64_t> shape = x.sizes().vec();
      shape.back() = width;
      out.push_back(widths.size() == 1 ? y.view(shape) : y.narrow(1, begin, width));
      begin += width;
    }
    return out;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& gradients) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &rows = saved[0], &w = saved[1];
    const at::ScalarType type = ctx->saved_data["type"].toScalarType();
    const std::vector<std::int64_t> widths = ctx->saved_data["widths"].toIntVector();
    const bool has_bias = ctx->saved_data["has_bias"].toBool();
    const std::size_t count = widths.size();
    at::Tensor gradient = count == 1 ? gradients[0].reshape({-1, w.size(0)}) : join_columns(gradients);
    if (gradient.stride(-1) != 1) gradient = gradient.contiguous();
    variable_list out(1 + count * (has_bias ? 2 : 1));
    if (ctx->needs_input_grad(0)) {
      std::vector<std::int64_t> shape = gradients[0].sizes().vec();
      shape.back() = w.size(1);
      out[0] = at::mm(gradient, w).view(shape);
    }
    const auto any_needs = [&](std::size_t first) {
      for (std::size_t i = first; i < first + count; ++i) {
        if (ctx->needs_input_grad(i)) return true;
      }
      return false;
    };
    const at::Tensor d_weight = any_needs(1) ? at::mm(gradient.t(), rows).to(type) : at::Tensor();
    const at::Tensor d_bias = has_bias && any_needs(1 + count) ? column_sum(gradient).to(type) : at::Tensor();
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (d_weight.defined()) out[1 + i] = d_weight.narrow(0, begin, widths[i]);
      if (d_bias.defined()) out[1 + count + i] = d_bias.narrow(0, begin, widths[i]);
      begin += widths[i];
    }
    return out;
  }
};

}  // namespace

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (!x.is_cpu()) return reference::linear(x, weight, bias);
  const at::TensorList biases = bias.defined() ? at::TensorList(bias) : at::TensorList();
  return Linear::apply(x, at::TensorList(weight), biases)[0];
}

std::vector<at::Tensor> joint_linear(const at::Tensor& x, at::TensorList weights, at::TensorList biases) {
  TORCH_CHECK(x.dim() == 2 && (biases.empty() || biases.size() == weights.size()),
              "joint_linear needs x [rows, in] and as many biases as weights, or none");
  return x.is_cpu() ? Linear::apply(x, weights, biases) : reference::joint_linear(x, weights, biases);
}

namespace reference {

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const at::ScalarType type = x.scalar_type();
  return at::linear(x, weight.to(type), bias.defined() ? std::optional(bias.to(type)) : std::nullopt);
}

std::vector<at::Tensor> joint_linear(const at::Tensor& x, at::TensorList weights, at::TensorList biases) {
  std::vector<at::Tensor> out;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    out.push_back(reference::linear(x, weights[i], biases.empty() ? at::Tensor() : biases[i]));
  }
  return out;
}

}  // namespace reference
}  // namespace mha
