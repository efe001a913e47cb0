#include "ops/recompute.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <algorithm>
#include <utility>

namespace mha {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Holder : torch::CustomClassHolder {
  explicit Holder(TensorFunction function) : f(std::move(function)) {}
  TensorFunction f;
};

struct Recompute : torch::autograd::Function<Recompute> {
  static variable_list forward(AutogradContext* ctx, const TensorFunction& f, at::TensorList inputs) {
    ctx->saved_data["f"] = c10::IValue::make_capsule(c10::make_intrusive<Holder>(f));
    ctx->save_for_backward(inputs.vec());
    return f(inputs.vec());
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& gradients) {
    const auto holder = c10::static_intrusive_pointer_cast<Holder>(ctx->saved_data["f"].toCapsule());
    variable_list inputs;
    for (const at::Tensor& saved : ctx->get_saved_variables()) {
      inputs.push_back(saved.detach().requires_grad_(saved.requires_grad()));
    }
    {
      const at::AutoGradMode with_gradients(true);
      // Parameters get their gradients here, inputs on the way out.
      torch::autograd::backward(holder->f(inputs), gradients);
    }
    variable_list out(1);  // f has none
    for (const at::Tensor& input : inputs) out.push_back(input.grad());
    return out;
  }
};

}  // namespace

std::vector<at::Tensor> recomputed(const TensorFunction& f, const std::vector<at::Tensor>& inputs) {
  const auto wants_gradient = [](const at::Tensor& x) { return x.requires_grad(); };
  if (!at::GradMode::is_enabled() || std::ranges::none_of(inputs, wants_gradient)) return f(inputs);
  return Recompute::apply(f, at::TensorList(inputs));
}

}  // namespace mha
