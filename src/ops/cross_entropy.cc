#include "ops/cross_entropy.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/dispatch.h"
#include "ops/simd.h"
#include "ops/vector_exp.h"

namespace mha {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Logits exist for this many rows at a time: few enough to stay in the cache at 8,000 symbols (8 MB in bfloat16), many
/// enough that adding up the weight's gradient, once for each chunk, costs little beside the products.
constexpr std::int64_t kChunk = 512;

struct RowLoss {
  double smoothed, nll;
};

std::int64_t smoothed_symbols(const CrossEntropyOptions& options, std::int64_t vocab) {
  return options.pad >= 0 ? vocab - 1 : vocab;
}

/// The loss of one row of logits; in_place: the row becomes its gradient, p - q. `exps`: scratch of whole_lanes(vocab)
/// elements.
template <class T, class W = Wide<T>>
MHA_SIMD RowLoss loss_row(T* logits, std::int64_t vocab, std::int64_t target, const CrossEntropyOptions& options,
                          bool in_place, W* __restrict exps) {
  const std::int64_t padded = whole_lanes(vocab);
  for (std::int64_t j = 0; j < vocab; ++j) exps[j] = widen(logits[j]);
  for (std::int64_t j = vocab; j < padded; ++j) exps[j] = -std::numeric_limits<W>::infinity();
  const W largest = lane_max(exps, vocab), total = lane_sum(exps, vocab);
  const W sum = exp_and_sum(exps, padded, largest);
  const double log_sum = std::log(static_cast<double>(sum));
  const auto relative = [&](std::int64_t j) { return static_cast<double>(widen(logits[j]) - largest); };
  const double nll = log_sum - relative(target);
  const double symbols = static_cast<double>(smoothed_symbols(options, vocab));
  const double even =
      symbols * log_sum - (static_cast<double>(total) - static_cast<double>(vocab) * static_cast<double>(largest) -
                           (options.pad >= 0 ? relative(options.pad) : 0));
  const double share = options.smoothing / symbols;
  if (in_place) {
    const W inverse = 1 / sum, offset = static_cast<W>(share);
    for (std::int64_t j = 0; j < vocab; ++j) logits[j] = narrow<T>(exps[j] * inverse - offset);
    if (options.pad >= 0) logits[options.pad] = narrow<T>(exps[options.pad] * inverse);
    const W others = target == options.pad ? W(0) : offset;
    logits[target] = narrow<T>(exps[target] * inverse - others - static_cast<W>(1 - options.smoothing));
  }
  return {.smoothed = (1 - options.smoothing) * nll + share * even, .nll = nll};
}

void loss_rows(at::Tensor& logits, const std::int64_t* targets, const CrossEntropyOptions& options, bool in_place,
               RowLoss* losses) {
  const std::int64_t vocab = logits.size(1);
  with_float_type(logits.scalar_type(), [&]<class T>() {
    T* data = logits.mutable_data_ptr<T>();
    at::parallel_for(0, logits.size(0), 16, [&](std::int64_t begin, std::int64_t end) {
      std::vector<Wide<T>> exps(static_cast<std::size_t>(whole_lanes(vocab)));
      for (std::int64_t i = begin; i < end; ++i) {
        if (targets[i] < 0) {
          losses[i] = {.smoothed = 0, .nll = 0};
          if (in_place) std::fill_n(data + i * vocab, vocab, T(0));
          continue;
        }
        losses[i] = loss_row<T>(data + i * vocab, vocab, targets[i], options, in_place, exps.data());
      }
    });
  });
}

struct Result {
  at::Tensor smoothed, nll, d_hidden, d_weight;
};

/// d_hidden and d_weight are made if `gradients`; d_weight is added up over the chunks in fp32.
Result run_chunks(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& targets,
                  const CrossEntropyOptions& options, bool gradients) {
  const std::int64_t rows = hidden.size(0), vocab = weight.size(0);
  const at::ScalarType type = hidden.scalar_type(), wide = wide_type(hidden);
  const at::Tensor projection = weight.to(type).contiguous();
  at::Tensor buffer = at::empty({std::min(rows, kChunk), vocab}, hidden.options());
  Result out;
  at::Tensor product;
  if (gradients) {
    out.d_hidden = at::empty_like(hidden);
    out.d_weight = at::zeros(weight.sizes(), weight.options().dtype(wide));
    if (type != wide) product = at::empty(weight.sizes(), hidden.options());
  }
  std::vector<RowLoss> losses(static_cast<std::size_t>(rows));
  for (std::int64_t begin = 0; begin < rows; begin += kChunk) {
    const std::int64_t count = std::min(kChunk, rows - begin);
    const at::Tensor chunk = hidden.narrow(0, begin, count);
    at::Tensor logits = buffer.narrow(0, 0, count);
    at::mm_out(logits, chunk, projection.t());
    loss_rows(logits, targets.const_data_ptr<std::int64_t>() + begin, options, gradients, losses.data() + begin);
    if (!gradients) continue;
    at::Tensor d_chunk = out.d_hidden.narrow(0, begin, count);
    at::mm_out(d_chunk, logits, projection);
    if (type == wide) {
      at::addmm_out(out.d_weight, out.d_weight, logits.t(), chunk);
    } else {
      at::mm_out(product, logits.t(), chunk);
      out.d_weight.add_(product);
    }
  }
  RowLoss sums{.smoothed = 0, .nll = 0};
  for (const RowLoss& loss : losses) {
    sums.smoothed += loss.smoothed;
    sums.nll += loss.nll;
  }
  out.smoothed = at::empty({}, hidden.options().dtype(wide)).fill_(sums.smoothed);
  out.nll = at::empty({}, hidden.options().dtype(wide)).fill_(sums.nll);
  return out;
}

struct ProjectedCrossEntropy : torch::autograd::Function<ProjectedCrossEntropy> {
  static variable_list forward(AutogradContext* ctx, const at::Tensor& hidden, const at::Tensor& weight,
                               const at::Tensor& targets, const CrossEntropyOptions& options) {
    const Result out = run_chunks(hidden.contiguous(), weight, targets.contiguous(), options, true);
    ctx->save_for_backward({out.d_hidden, out.d_weight});
    ctx->saved_data["type"] = weight.scalar_type();
    ctx->mark_non_differentiable({out.nll});
    return {out.smoothed, out.nll};
  }
  static variable_list backward(AutogradContext* ctx, const variable_list& gradients) {
    const variable_list saved = ctx->get_saved_variables();
    const double factor = gradients[0].item<double>();
    const auto scaled = [factor](const at::Tensor& x) { return factor == 1 ? x : x * factor; };  // 1 in training
    return {scaled(saved[0]), scaled(saved[1]).to(ctx->saved_data["type"].toScalarType()), {}, {}};
  }
};

}  // namespace

TokenLoss projected_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& targets,
                                  const CrossEntropyOptions& options) {
  TORCH_CHECK(
      hidden.dim() == 2 && weight.dim() == 2 && hidden.size(1) == weight.size(1) && targets.numel() == hidden.size(0),
      "the loss needs hidden [rows, d_model], weight [vocab, d_model] and a target for each row, got ", hidden.sizes(),
      ", ", weight.sizes(), " and ", targets.sizes());
  TORCH_CHECK(options.pad < weight.size(0) && smoothed_symbols(options, weight.size(0)) > 0, "pad ", options.pad,
              " does not fit a vocabulary of ", weight.size(0));
  if (!hidden.is_cpu()) return reference::projected_cross_entropy(hidden, weight, targets, options);
  if (targets.numel() > 0) {
    TORCH_CHECK(targets.max().item<std::int64_t>() < weight.size(0), "a target is outside the vocabulary of ",
                weight.size(0));
  }
  if (at::GradMode::is_enabled() && (hidden.requires_grad() || weight.requires_grad())) {
    const variable_list out = ProjectedCrossEntropy::apply(hidden, weight, targets, options);
    return {out[0], out[1]};
  }
  const Result out = run_chunks(hidden.contiguous(), weight, targets.contiguous(), options, false);
  return {out.smoothed, out.nll};
}

namespace reference {

TokenLoss projected_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& targets,
                                  const CrossEntropyOptions& options) {
  const at::Tensor counted = targets.ge(0).nonzero().squeeze(1);
  const at::Tensor logits = at::linear(hidden.index_select(0, counted), weight.to(hidden.scalar_type()));
  const at::Tensor log_p = at::log_softmax(logits, -1, wide_type(hidden));
  const at::Tensor nll = -log_p.gather(-1, targets.index_select(0, counted).unsqueeze(-1)).sum();
  at::Tensor even = -log_p.sum();
  if (options.pad >= 0) even = even + log_p.select(-1, options.pad).sum();
  const double share = options.smoothing / static_cast<double>(smoothed_symbols(options, weight.size(0)));
  return {nll * (1 - options.smoothing) + even * share, nll.detach()};
}

}  // namespace reference
}  // namespace mha
