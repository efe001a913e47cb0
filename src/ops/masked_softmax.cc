#include "ops/masked_softmax.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/softmax.h>
#include <torch/csrc/autograd/custom_function.h>

#include <limits>
#include <vector>

#include "ops/dispatch.h"
#include "ops/simd.h"
#include "ops/vector_exp.h"

namespace mha {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

std::int64_t clamp_visible(std::int32_t visible, std::int64_t t_k) { return std::clamp<std::int64_t>(visible, 0, t_k); }

/// One [t_q, t_k] matrix. `row`: scratch of whole_lanes(t_k) elements.
template <class T>
MHA_SIMD void softmax_matrix(const T* scores, const std::int32_t* visible, T* out, std::int64_t t_q, std::int64_t t_k,
                             Wide<T>* __restrict row) {
  using W = Wide<T>;
  for (std::int64_t i = 0; i < t_q; ++i, scores += t_k, out += t_k) {
    const std::int64_t seen = clamp_visible(visible[i], t_k);
    if (seen == 0) {
      std::fill_n(out, t_k, T(0));
      continue;
    }
    // Hidden keys are -inf up to a whole number of lanes: no loop below has a remainder.
    const std::int64_t padded = whole_lanes(seen);
    for (std::int64_t j = 0; j < seen; ++j) row[j] = widen(scores[j]);
    for (std::int64_t j = seen; j < padded; ++j) row[j] = -std::numeric_limits<W>::infinity();
    const W largest = lane_max(row, padded);
    const W inverse = 1 / exp_and_sum(row, padded, largest);
    for (std::int64_t j = 0; j < seen; ++j) out[j] = narrow<T>(row[j] * inverse);
    std::fill(out + seen, out + t_k, T(0));
  }
}

/// The gradient of the scores: w (g - sum(w g)). `row`: scratch of 2 whole_lanes(t_k) elements.
template <class T>
MHA_SIMD void softmax_matrix_backward(const T* weights, const T* gradient, const std::int32_t* visible, T* out,
                                      std::int64_t t_q, std::int64_t t_k, Wide<T>* __restrict row) {
  using W = Wide<T>;
  W* __restrict g = row + whole_lanes(t_k);
  for (std::int64_t i = 0; i < t_q; ++i, weights += t_k, gradient += t_k, out += t_k) {
    const std::int64_t seen = clamp_visible(visible[i], t_k), padded = whole_lanes(seen);
    for (std::int64_t j = 0; j < seen; ++j) row[j] = widen(weights[j]);
    for (std::int64_t j = 0; j < seen; ++j) g[j] = widen(gradient[j]);
    for (std::int64_t j = seen; j < padded; ++j) row[j] = g[j] = 0;
    const W inner = lane_dot(row, g, padded);
    for (std::int64_t j = 0; j < seen; ++j) out[j] = narrow<T>(row[j] * (g[j] - inner));
    std::fill(out + seen, out + t_k, T(0));
  }
}

struct PrefixSoftmax : torch::autograd::Function<PrefixSoftmax> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& scores, const at::Tensor& visible) {
    const at::Tensor in = scores.contiguous(), seen = visible.contiguous();
    at::Tensor out = at::empty_like(in);
    const std::int64_t heads = in.size(1), t_q = in.size(2), t_k = in.size(3), matrix = t_q * t_k;
    with_float_type(in.scalar_type(), [&]<class T>() {
      at::parallel_for(0, in.size(0) * heads, 4, [&](std::int64_t begin, std::int64_t end) {
        std::vector<Wide<T>> row(static_cast<std::size_t>(whole_lanes(t_k)));
        for (std::int64_t i = begin; i < end; ++i) {
          softmax_matrix(in.const_data_ptr<T>() + i * matrix, seen.const_data_ptr<std::int32_t>() + i / heads * t_q,
                         out.mutable_data_ptr<T>() + i * matrix, t_q, t_k, row.data());
        }
      });
    });
    ctx->save_for_backward({out, seen});
    return out;
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &weights = saved[0], &seen = saved[1], gradient = gradients[0].contiguous();
    at::Tensor out = at::empty_like(weights);
    const std::int64_t heads = out.size(1), t_q = out.size(2), t_k = out.size(3), matrix = t_q * t_k;
    with_float_type(out.scalar_type(), [&]<class T>() {
      at::parallel_for(0, out.size(0) * heads, 4, [&](std::int64_t begin, std::int64_t end) {
        std::vector<Wide<T>> row(static_cast<std::size_t>(2 * whole_lanes(t_k)));
        for (std::int64_t i = begin; i < end; ++i) {
          softmax_matrix_backward(weights.const_data_ptr<T>() + i * matrix, gradient.const_data_ptr<T>() + i * matrix,
                                  seen.const_data_ptr<std::int32_t>() + i / heads * t_q,
                                  out.mutable_data_ptr<T>() + i * matrix, t_q, t_k, row.data());
        }
      });
    });
    return {out, {}};
  }
};

}  // namespace

at::Tensor prefix_softmax(const at::Tensor& scores, const at::Tensor& visible) {
  TORCH_CHECK(
      scores.dim() == 4 && visible.dim() == 2 && visible.size(0) == scores.size(0) && visible.size(1) == scores.size(2),
      "the softmax needs scores [batch, heads, t_q, t_k] and counts [batch, t_q], got ", scores.sizes(), " and ",
      visible.sizes());
  return scores.is_cpu() ? PrefixSoftmax::apply(scores, visible) : reference::prefix_softmax(scores, visible);
}

at::Tensor masked_softmax(const at::Tensor& scores, const at::Tensor& visible) {
  const at::Tensor hidden = visible.logical_not();
  // A row that sees nothing is made a row of zeros first: its softmax is finite, and so are the gradients.
  const at::Tensor blind = hidden.all(-1, /*keepdim=*/true);
  const at::Tensor masked = scores.masked_fill(hidden, -std::numeric_limits<double>::infinity()).masked_fill(blind, 0);
  return at::softmax(masked, -1, wide_type(scores)).masked_fill(hidden, 0).to(scores.scalar_type());
}

namespace reference {
at::Tensor prefix_softmax(const at::Tensor& scores, const at::Tensor& visible) {
  const at::Tensor key = at::arange(scores.size(-1), visible.options());
  return masked_softmax(scores, key < visible.unsqueeze(1).unsqueeze(-1));
}
}  // namespace reference

}  // namespace mha
