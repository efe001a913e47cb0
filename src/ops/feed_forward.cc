#include "ops/feed_forward.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/silu_backward.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>
#include <utility>
#include <vector>

#include "ops/column_sum.h"
#include "ops/dispatch.h"
#include "ops/dropout_mask.h"
#include "ops/linear.h"
#include "ops/saved_dropout.h"
#include "ops/simd.h"

namespace mha {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kGrain = 16384;  // elements of one piece of work

/// x = max(0, x); NaN stays, so that a diverged model shows.
template <class T>
MHA_SIMD void relu_elements(T* x, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) x[i] = narrow<T>(widen(x[i]) < 0 ? Wide<T>(0) : widen(x[i]));
}

/// The same with dropout of the elements that begin with number `first`.
template <class T>
MHA_SIMD void relu_drop_elements(T* x, std::int64_t count, std::uint64_t first, const DropoutSpec& dropout) {
  const std::uint32_t threshold = dropout_threshold(dropout.p);
  const auto scale = static_cast<Wide<T>>(1 / (1 - dropout.p));
  for_dropout_blocks(dropout.key, first, count,
                     [&](DropoutBlock block, std::uint32_t in_block, std::int64_t offset, std::int64_t n) {
                       for (std::int64_t j = 0; j < n; ++j) {
                         const bool keep = dropout_bits(block, in_block + static_cast<std::uint32_t>(j)) >= threshold;
                         const Wide<T> value = widen(x[offset + j]);
                         x[offset + j] = narrow<T>(!keep || value < 0 ? Wide<T>(0) : value * scale);
                       }
                     });
}

/// gradient = result > 0 ? gradient * scale : 0
template <class T>
MHA_SIMD void mask_gradient(const T* result, T* gradient, std::int64_t count, Wide<T> scale) {
  for (std::int64_t i = 0; i < count; ++i) {
    gradient[i] = narrow<T>(widen(result[i]) > 0 ? widen(gradient[i]) * scale : Wide<T>(0));
  }
}

void relu_drop_(at::Tensor& inner, const DropoutSpec& dropout) {
  const std::uint64_t first = dropout.first_element(inner.size(1));
  with_float_type(inner.scalar_type(), [&]<class T>() {
    T* data = inner.mutable_data_ptr<T>();
    at::parallel_for(0, inner.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
      if (dropout.p == 0) {
        relu_elements(data + begin, end - begin);
      } else {
        relu_drop_elements(data + begin, end - begin, first + static_cast<std::uint64_t>(begin), dropout);
      }
    });
  });
}

void mask_gradient_(const at::Tensor& inner, at::Tensor& gradient, double p) {
  with_float_type(inner.scalar_type(), [&]<class T>() {
    const T* result = inner.const_data_ptr<T>();
    T* data = gradient.mutable_data_ptr<T>();
    at::parallel_for(0, inner.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
      mask_gradient(result + begin, data + begin, end - begin, static_cast<Wide<T>>(1 / (1 - p)));
    });
  });
}

at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias) {
  return bias ? at::addmm(bias->to(x.scalar_type()), x, weight.t()) : at::mm(x, weight.t());
}

/// dropout(activation(before)): before [rows, d_ff] -> same, or for swiglu [rows, 2 d_ff] -> [rows, d_ff].
at::Tensor activate(const at::Tensor& before, Activation activation, const DropoutSpec& dropout) {
  at::Tensor inner;
  if (activation == Activation::gelu) {
    inner = at::gelu(before);
  } else {
    const std::int64_t d_ff = before.size(1) / 2;
    inner = at::silu(before.narrow(1, 0, d_ff)).mul_(before.narrow(1, d_ff, d_ff));
  }
  inner = inner.contiguous();
  drop_in_place(inner, dropout);
  return inner;
}

/// The gradient of activate's input, from that of its result, which is used up.
at::Tensor activate_backward(at::Tensor& d_inner, const at::Tensor& before, Activation activation,
                             const DropoutSpec& dropout) {
  drop_in_place(d_inner, dropout);
  if (activation == Activation::gelu) return at::gelu_backward(d_inner, before);
  const std::int64_t d_ff = d_inner.size(1);
  const at::Tensor gate = before.narrow(1, 0, d_ff), up = before.narrow(1, d_ff, d_ff);
  at::Tensor d_before = at::empty_like(before);
  at::Tensor d_gate = d_before.narrow(1, 0, d_ff), d_up = d_before.narrow(1, d_ff, d_ff);
  at::silu_out(d_up, gate);
  d_up.mul_(d_inner);
  at::silu_backward_out(d_gate, d_inner.mul_(up), gate);
  return d_before;
}

/// All weights that x is multiplied by, one below the other.
at::Tensor below(const at::Tensor& first, const std::optional<at::Tensor>& second, at::ScalarType type) {
  return second ? at::cat({first.to(type), second->to(type)}) : first.to(type);
}

struct FeedForwardFunction : torch::autograd::Function<FeedForwardFunction> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& w_1, const at::Tensor& w_2,
                            const std::optional<at::Tensor>& w_3, const std::optional<at::Tensor>& b_1,
                            const std::optional<at::Tensor>& b_2, const std::optional<at::Tensor>& b_3,
                            const std::pair<Activation, DropoutSpec>& options) {
    const auto& [activation, dropout] = options;
    const at::Tensor rows = x.contiguous();
    const at::Tensor first = below(w_1, w_3, x.scalar_type()), second = w_2.to(x.scalar_type());
    at::Tensor before = affine(rows, first, b_1 ? std::optional(below(*b_1, b_3, x.scalar_type())) : std::nullopt);
    at::Tensor inner;
    if (activation == Activation::relu) {
      relu_drop_(before, dropout);
      inner = before;
    } else {
      inner = activate(before, activation, dropout);
    }
    ctx->save_for_backward({rows, first, second, before});
    save_dropout(ctx, dropout);
    ctx->saved_data["activation"] = static_cast<std::int64_t>(activation);
    ctx->saved_data["bias"] = b_1.has_value();
    ctx->saved_data["type"] = w_1.scalar_type();
    return affine(inner, second, b_2);
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& gradients) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &first = saved[1], &second = saved[2], &before = saved[3];
    const at::ScalarType type = ctx->saved_data["type"].toScalarType();
    const auto activation = static_cast<Activation>(ctx->saved_data["activation"].toInt());
    const DropoutSpec dropout = saved_dropout(ctx);
    const at::Tensor d_out = gradients[0].contiguous();
    const bool relu = activation == Activation::relu;
    const at::Tensor d_second = at::mm(d_out.t(), relu ? before : activate(before, activation, dropout)).to(type);
    at::Tensor d_inner = at::mm(d_out, second);
    if (relu) mask_gradient_(before, d_inner, dropout.p);
    const at::Tensor d_before = relu ? d_inner : activate_backward(d_inner, before, activation, dropout);
    const at::Tensor d_first = at::mm(d_before.t(), x).to(type);
    const std::int64_t d_ff = second.size(1);
    const bool gated = first.size(0) > d_ff;
    variable_list out(8);
    if (ctx->needs_input_grad(0)) out[0] = at::mm(d_before, first);
    out[1] = d_first.narrow(0, 0, d_ff);
    out[2] = d_second;
    if (gated) out[3] = d_first.narrow(0, d_ff, d_ff);
    if (!ctx->saved_data["bias"].toBool()) return out;
    const at::Tensor d_bias = column_sum(d_before).to(type);
    out[4] = d_bias.narrow(0, 0, d_ff);
    out[5] = column_sum(d_out).to(type);
    if (gated) out[6] = d_bias.narrow(0, d_ff, d_ff);
    return out;
  }
};

void check(const at::Tensor& x, const FeedForwardWeights& weights, Activation activation) {
  const bool gated = activation == Activation::swiglu;
  TORCH_CHECK(x.dim() == 2 && x.size(1) == weights.w_1.size(1) && weights.w_1.size(0) == weights.w_2.size(1),
              "feed-forward: x ", x.sizes(), " does not fit weights ", weights.w_1.sizes(), " and ",
              weights.w_2.sizes());
  TORCH_CHECK(gated == weights.w_3.defined() && (!gated || weights.w_3.sizes() == weights.w_1.sizes()),
              "feed-forward: swiglu and nothing else has a third matrix, of the first one's shape");
  TORCH_CHECK(
      weights.b_1.defined() == weights.b_2.defined() && (gated && weights.b_1.defined()) == weights.b_3.defined(),
      "feed-forward: biases are all or none");
}

}  // namespace

at::Tensor feed_forward(const at::Tensor& x, const FeedForwardWeights& weights, Activation activation,
                        const DropoutSpec& dropout) {
  check(x, weights, activation);
  if (!x.is_cpu()) return reference::feed_forward(x, weights, activation, dropout);
  return FeedForwardFunction::apply(x, weights.w_1, weights.w_2, if_defined(weights.w_3), if_defined(weights.b_1),
                                    if_defined(weights.b_2), if_defined(weights.b_3), std::pair(activation, dropout));
}

namespace reference {

at::Tensor feed_forward(const at::Tensor& x, const FeedForwardWeights& weights, Activation activation,
                        const DropoutSpec& dropout) {
  const at::Tensor before = reference::linear(x, weights.w_1, weights.b_1);
  const at::Tensor inner = activation == Activation::relu ? at::relu(before)
                           : activation == Activation::gelu
                               ? at::gelu(before)
                               : at::silu(before) * reference::linear(x, weights.w_3, weights.b_3);
  return reference::linear(reference::dropout(inner, dropout), weights.w_2, weights.b_2);
}

}  // namespace reference
}  // namespace mha
