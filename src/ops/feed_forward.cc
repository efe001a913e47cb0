#include "ops/feed_forward.h"

#include <ATen/Parallel.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/relu.h>
#include <torch/csrc/autograd/custom_function.h>

#include <vector>

#include "ops/column_sum.h"
#include "ops/dispatch.h"
#include "ops/dropout_mask.h"
#include "ops/linear.h"
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

struct ReluFeedForward : torch::autograd::Function<ReluFeedForward> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& w_1, const at::Tensor& w_2,
                            const std::optional<at::Tensor>& b_1, const std::optional<at::Tensor>& b_2,
                            const DropoutSpec& dropout) {
    const at::Tensor rows = x.contiguous(), first = w_1.to(x.scalar_type()), second = w_2.to(x.scalar_type());
    at::Tensor inner = affine(rows, first, b_1);
    relu_drop_(inner, dropout);
    ctx->save_for_backward({rows, first, second, inner});
    ctx->saved_data["p"] = dropout.p;
    ctx->saved_data["bias"] = b_1.has_value();
    ctx->saved_data["type"] = w_1.scalar_type();
    return affine(inner, second, b_2);
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& gradients) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &w_1 = saved[1], &w_2 = saved[2], &inner = saved[3];
    const at::ScalarType type = ctx->saved_data["type"].toScalarType();
    const bool bias = ctx->saved_data["bias"].toBool();
    const at::Tensor d_out = gradients[0].contiguous();
    at::Tensor d_inner = at::mm(d_out, w_2);
    mask_gradient_(inner, d_inner, ctx->saved_data["p"].toDouble());
    return {ctx->needs_input_grad(0) ? at::mm(d_inner, w_1) : at::Tensor(),
            at::mm(d_inner.t(), x).to(type),
            at::mm(d_out.t(), inner).to(type),
            bias ? column_sum(d_inner).to(type) : at::Tensor(),
            bias ? column_sum(d_out).to(type) : at::Tensor(),
            {}};
  }
};

}  // namespace

at::Tensor relu_feed_forward(const at::Tensor& x, const FeedForwardWeights& weights, const DropoutSpec& dropout) {
  TORCH_CHECK(x.dim() == 2 && x.size(1) == weights.w_1.size(1) && weights.w_1.size(0) == weights.w_2.size(1),
              "feed-forward: x ", x.sizes(), " does not fit weights ", weights.w_1.sizes(), " and ",
              weights.w_2.sizes());
  TORCH_CHECK(weights.b_1.defined() == weights.b_2.defined(), "feed-forward: one bias of two");
  if (!x.is_cpu()) return reference::relu_feed_forward(x, weights, dropout);
  return ReluFeedForward::apply(x, weights.w_1, weights.w_2, if_defined(weights.b_1), if_defined(weights.b_2), dropout);
}

namespace reference {

at::Tensor relu_feed_forward(const at::Tensor& x, const FeedForwardWeights& weights, const DropoutSpec& dropout) {
  const at::Tensor inner = at::relu(reference::linear(x, weights.w_1, weights.b_1));
  return reference::linear(reference::dropout(inner, dropout), weights.w_2, weights.b_2);
}

}  // namespace reference
}  // namespace mha
