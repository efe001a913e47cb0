#include "ops/norm.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <vector>

#include "ops/dispatch.h"
#include "ops/norm_kernels.h"
#include "ops/saved_dropout.h"

namespace mha {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Rows that share one partial sum of the gradients of gamma and beta: fixed, so that the result does not depend on the
/// number of threads.
constexpr std::int64_t kRowBlock = 128;

struct Settings {
  double eps;
  bool rms;
  DropoutSpec dropout;
};

void save(AutogradContext* ctx, const Settings& settings) {
  ctx->saved_data["eps"] = settings.eps;
  ctx->saved_data["rms"] = settings.rms;
  save_dropout(ctx, settings.dropout);
}

Settings saved_settings(AutogradContext* ctx) {
  return {
      .eps = ctx->saved_data["eps"].toDouble(), .rms = ctx->saved_data["rms"].toBool(), .dropout = saved_dropout(ctx)};
}

template <class W>
NormKernel<W> kernel(const at::Tensor& gamma, const at::Tensor& beta, const Settings& settings) {
  return {.width = gamma.numel(),
          .gamma = gamma.const_data_ptr<W>(),
          .beta = beta.defined() ? beta.const_data_ptr<W>() : nullptr,
          .eps = settings.eps,
          .rms = settings.rms,
          .dropout = settings.dropout};
}

at::Tensor as_wide(const at::Tensor& parameter, const at::Tensor& x) {
  return parameter.defined() ? parameter.detach().to(wide_type(x)).contiguous() : parameter;
}

struct Forward {
  at::Tensor sum, normed, mean, rstd;
};

/// branch undefined: sum is x.
Forward forward_rows(const at::Tensor& x, const at::Tensor& branch, const at::Tensor& gamma, const at::Tensor& beta,
                     const Settings& settings) {
  const std::int64_t width = gamma.numel(), rows = x.numel() / width;
  Forward out{.sum = branch.defined() ? at::empty_like(x) : x,
              .normed = at::empty_like(x),
              .mean = at::empty({rows}, gamma.options()),
              .rstd = at::empty({rows}, gamma.options())};
  with_float_type(x.scalar_type(), [&]<class T>() {
    using W = Wide<T>;
    const NormKernel<W> k = kernel<W>(gamma, beta, settings);
    const T* branch_data = branch.defined() ? branch.const_data_ptr<T>() : nullptr;
    T* sum_data = branch.defined() ? out.sum.mutable_data_ptr<T>() : nullptr;
    at::parallel_for(0, rows, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
      std::vector<W> row(static_cast<std::size_t>(width));
      add_norm_rows<T>(k, begin, end, x.const_data_ptr<T>(), branch_data, sum_data, out.normed.mutable_data_ptr<T>(),
                       out.mean.mutable_data_ptr<W>(), out.rstd.mutable_data_ptr<W>(), row.data());
    });
  });
  return out;
}

struct Backward {
  at::Tensor x, branch, gamma, beta;
};

/// d_sum may be undefined; `with_branch`: a gradient of its own, with dropout, is wanted for the branch.
Backward backward_rows(const Forward& saved, const at::Tensor& gamma, const Settings& settings, const at::Tensor& d_sum,
                       const at::Tensor& d_normed, bool with_branch) {
  const std::int64_t width = gamma.numel(), rows = saved.mean.numel();
  const std::int64_t blocks = (rows + kRowBlock - 1) / kRowBlock;
  Backward out;
  out.x = at::empty_like(saved.sum);
  if (with_branch) out.branch = at::empty_like(saved.sum);
  at::Tensor partial = at::zeros({2, blocks, width}, gamma.options());
  with_float_type(saved.sum.scalar_type(), [&]<class T>() {
    using W = Wide<T>;
    const NormKernel<W> k = kernel<W>(gamma, {}, settings);
    const T* d_sum_data = d_sum.defined() ? d_sum.const_data_ptr<T>() : nullptr;
    T* branch_data = with_branch ? out.branch.mutable_data_ptr<T>() : nullptr;
    W* d_gamma = partial.mutable_data_ptr<W>();
    at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      std::vector<W> row(static_cast<std::size_t>(2 * width));
      for (std::int64_t b = begin; b < end; ++b) {
        add_norm_rows_backward<T>(k, b * kRowBlock, std::min((b + 1) * kRowBlock, rows), saved.sum.const_data_ptr<T>(),
                                  saved.mean.const_data_ptr<W>(), saved.rstd.const_data_ptr<W>(), d_sum_data,
                                  d_normed.const_data_ptr<T>(), out.x.mutable_data_ptr<T>(), branch_data,
                                  d_gamma + b * width, d_gamma + (blocks + b) * width, row.data());
      }
    });
  });
  const at::Tensor sums = partial.sum(1);
  out.gamma = sums[0];
  out.beta = sums[1];
  return out;
}

/// x, [branch], gamma, [beta] -> sum, normed.
struct AddDropoutNorm : torch::autograd::Function<AddDropoutNorm> {
  static variable_list forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& branch,
                               const at::Tensor& gamma, const std::optional<at::Tensor>& beta,
                               const Settings& settings) {
    const at::Tensor wide_gamma = as_wide(gamma, x);
    const Forward out = forward_rows(x.contiguous(), branch.contiguous(), wide_gamma,
                                     as_wide(beta.value_or(at::Tensor()), x), settings);
    save(ctx, settings);
    ctx->set_materialize_grads(false);
    ctx->save_for_backward({out.sum, out.mean, out.rstd, wide_gamma});
    ctx->saved_data["type"] = gamma.scalar_type();
    ctx->saved_data["beta"] = beta.has_value();
    return {out.sum, out.normed};
  }
  static variable_list backward(AutogradContext* ctx, const variable_list& gradients) {
    const variable_list saved = ctx->get_saved_variables();
    const Settings settings = saved_settings(ctx);
    const at::Tensor d_sum = gradients[0].defined() ? gradients[0].contiguous() : at::Tensor();
    const at::Tensor d_normed = gradients[1].defined() ? gradients[1].contiguous() : at::zeros_like(saved[0]);
    const Backward out = backward_rows({.sum = saved[0], .normed = {}, .mean = saved[1], .rstd = saved[2]}, saved[3],
                                       settings, d_sum, d_normed, settings.dropout.p != 0);
    const at::ScalarType type = ctx->saved_data["type"].toScalarType();
    return {out.x,
            settings.dropout.p == 0 ? out.x : out.branch,
            out.gamma.to(type),
            ctx->saved_data["beta"].toBool() ? out.beta.to(type) : at::Tensor(),
            {}};
  }
};

struct Normalize : torch::autograd::Function<Normalize> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& gamma,
                            const std::optional<at::Tensor>& beta, const Settings& settings) {
    const at::Tensor wide_gamma = as_wide(gamma, x);
    const Forward out = forward_rows(x.contiguous(), {}, wide_gamma, as_wide(beta.value_or(at::Tensor()), x), settings);
    save(ctx, settings);
    ctx->save_for_backward({out.sum, out.mean, out.rstd, wide_gamma});
    ctx->saved_data["type"] = gamma.scalar_type();
    ctx->saved_data["beta"] = beta.has_value();
    return out.normed;
  }
  static variable_list backward(AutogradContext* ctx, const variable_list& gradients) {
    const variable_list saved = ctx->get_saved_variables();
    const Backward out = backward_rows({.sum = saved[0], .normed = {}, .mean = saved[1], .rstd = saved[2]}, saved[3],
                                       saved_settings(ctx), {}, gradients[0].contiguous(), false);
    const at::ScalarType type = ctx->saved_data["type"].toScalarType();
    return {out.x, out.gamma.to(type), ctx->saved_data["beta"].toBool() ? out.beta.to(type) : at::Tensor(), {}};
  }
};

}  // namespace

at::Tensor normalize(const at::Tensor& x, const NormWeights& norm) {
  TORCH_CHECK(x.size(-1) == norm.gamma.numel(), "the norm's width is ", norm.gamma.numel(), ", its input is ",
              x.sizes());
  if (!x.is_cpu()) return reference::normalize(x, norm);
  return Normalize::apply(x, norm.gamma, if_defined(norm.beta),
                          Settings{.eps = norm.eps, .rms = norm.rms, .dropout = {}});
}

ResidualNorm add_dropout_norm(const at::Tensor& x, const at::Tensor& branch, const NormWeights& norm,
                              const DropoutSpec& dropout) {
  TORCH_CHECK(x.sizes() == branch.sizes() && x.scalar_type() == branch.scalar_type(),
              "residual and branch differ: ", x.sizes(), " and ", branch.sizes());
  TORCH_CHECK(x.size(-1) == norm.gamma.numel(), "the norm's width is ", norm.gamma.numel(), ", its input is ",
              x.sizes());
  if (!x.is_cpu()) return reference::add_dropout_norm(x, branch, norm, dropout);
  const variable_list out = AddDropoutNorm::apply(x, branch, norm.gamma, if_defined(norm.beta),
                                                  Settings{.eps = norm.eps, .rms = norm.rms, .dropout = dropout});
  return {out[0], out[1]};
}

}  // namespace mha
