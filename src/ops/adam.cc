#include "ops/adam.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/sqrt.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/simd.h"

namespace mha {

namespace {

constexpr std::int64_t kBlock = 16384;  // elements that one piece of work and one partial sum cover

struct Factors {
  float grad_scale, beta1, beta2, keep1, keep2, l2, shrink, rate, root, eps;
};

/// The factors of one step: with c1 = 1 - beta1^step, c2 alike, p -= lr / c1 * m / (sqrt(v / c2) + eps).
Factors factors(std::int64_t step, const AdamOptions& o) {
  const double correction1 = 1 - std::pow(o.beta1, static_cast<double>(step));
  const double correction2 = 1 - std::pow(o.beta2, static_cast<double>(step));
  const auto f = [](double x) { return static_cast<float>(x); };
  return {.grad_scale = f(o.grad_scale),
          .beta1 = f(o.beta1),
          .beta2 = f(o.beta2),
          .keep1 = f(1 - o.beta1),
          .keep2 = f(1 - o.beta2),
          .l2 = f(o.decoupled ? 0 : o.weight_decay),
          .shrink = f(o.decoupled ? 1 - o.lr * o.weight_decay : 1),
          .rate = f(o.lr / correction1),
          .root = f(1 / std::sqrt(correction2)),
          .eps = f(o.eps)};
}

MHA_SIMD void adam_block(float* __restrict p, const float* __restrict g, float* __restrict m, float* __restrict v,
                         std::int64_t count, const Factors& f) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float gradient = g[i] * f.grad_scale + p[i] * f.l2;
    m[i] = m[i] * f.beta1 + gradient * f.keep1;
    v[i] = v[i] * f.beta2 + gradient * gradient * f.keep2;
    p[i] = p[i] * f.shrink - f.rate * m[i] / (std::sqrt(v[i]) * f.root + f.eps);
  }
}

MHA_SIMD double squares(const float* x, std::int64_t count) {
  // Half a vector at a time: as many bytes of doubles as a processor has in one register.
  constexpr std::int64_t kHalf = kLanes / 2;
  typedef float Floats __attribute__((vector_size(kHalf * sizeof(float))));
  typedef double Doubles __attribute__((vector_size(kHalf * sizeof(double))));
  Doubles even = {}, odd = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Floats a, b;
    __builtin_memcpy(&a, x + i, sizeof(a));
    __builtin_memcpy(&b, x + i + kHalf, sizeof(b));
    const Doubles wide_a = __builtin_convertvector(a, Doubles), wide_b = __builtin_convertvector(b, Doubles);
    even += wide_a * wide_a;
    odd += wide_b * wide_b;
  }
  double total = 0;
  for (; i < count; ++i) total += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  even += odd;
  for (std::int64_t j = 0; j < kHalf; ++j) total += even[j];
  return total;
}

}  // namespace

void adam_step(at::Tensor& parameters, const at::Tensor& gradients, at::Tensor& first_moment, at::Tensor& second_moment,
               std::int64_t step, const AdamOptions& options) {
  if (parameters.is_cuda()) return fused_adam_step(parameters, gradients, first_moment, second_moment, step, options);
  const bool plain = parameters.is_cpu() && parameters.scalar_type() == at::kFloat &&
                     gradients.scalar_type() == at::kFloat && parameters.is_contiguous() && gradients.is_contiguous();
  if (!plain) return reference::adam_step(parameters, gradients, first_moment, second_moment, step, options);
  TORCH_CHECK(gradients.numel() == parameters.numel() && first_moment.numel() == parameters.numel() &&
                  second_moment.numel() == parameters.numel() && first_moment.is_contiguous() &&
                  second_moment.is_contiguous(),
              "Adam's buffers must have one length");
  const Factors f = factors(step, options);
  float* p = parameters.mutable_data_ptr<float>();
  const float* g = gradients.const_data_ptr<float>();
  float* m = first_moment.mutable_data_ptr<float>();
  float* v = second_moment.mutable_data_ptr<float>();
  at::parallel_for(0, parameters.numel(), kBlock, [&](std::int64_t begin, std::int64_t end) {
    adam_block(p + begin, g + begin, m + begin, v + begin, end - begin, f);
  });
}

void fused_adam_step(at::Tensor& parameters, const at::Tensor& gradients, at::Tensor& first_moment,
                     at::Tensor& second_moment, std::int64_t step, const AdamOptions& options) {
  // The kernel divides gradients by a scale and writes them back: it gets scaled ones of its own.
  const at::Tensor scaled = gradients * options.grad_scale;
  const at::Tensor steps = at::full({}, static_cast<double>(step), parameters.options().dtype(at::kFloat));
  using Kernel = void(at::TensorList, at::TensorList, at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                      double, double, double, double, double, bool, bool, const std::optional<at::Tensor>&,
                      const std::optional<at::Tensor>&);
  Kernel* fused = options.decoupled ? static_cast<Kernel*>(at::_fused_adamw_) : static_cast<Kernel*>(at::_fused_adam_);
  fused(parameters, scaled, first_moment, second_moment, /*max_exp_avg_sqs=*/{}, steps, options.lr, options.beta1,
        options.beta2, options.weight_decay, options.eps, /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/{},
        /*found_inf=*/{});
}

double norm_of(const at::Tensor& flat) {
  if (!flat.is_cpu() || flat.scalar_type() != at::kFloat) return flat.to(at::kDouble).norm().item<double>();
  const at::Tensor in = flat.contiguous();
  const float* x = in.const_data_ptr<float>();
  const std::int64_t count = in.numel(), blocks = (count + kBlock - 1) / kBlock;
  std::vector<double> partial(static_cast<std::size_t>(blocks));
  at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      partial[static_cast<std::size_t>(b)] = squares(x + b * kBlock, std::min(kBlock, count - b * kBlock));
    }
  });
  double sum = 0;
  for (const double block : partial) sum += block;
  return std::sqrt(sum);
}

namespace reference {

void adam_step(at::Tensor& parameters, const at::Tensor& gradients, at::Tensor& first_moment, at::Tensor& second_moment,
               std::int64_t step, const AdamOptions& options) {
  at::Tensor gradient = gradients * options.grad_scale;
  if (options.decoupled) {
    parameters.mul_(1 - options.lr * options.weight_decay);
  } else {
    gradient = gradient + parameters * options.weight_decay;
  }
  first_moment.mul_(options.beta1).add_(gradient, 1 - options.beta1);
  second_moment.mul_(options.beta2).addcmul_(gradient, gradient, 1 - options.beta2);
  const double correction1 = 1 - std::pow(options.beta1, static_cast<double>(step));
  const double correction2 = 1 - std::pow(options.beta2, static_cast<double>(step));
  const at::Tensor spread = at::sqrt(second_moment / correction2) + options.eps;
  parameters.addcdiv_(first_moment, spread, -options.lr / correction1);
}

}  // namespace reference
}  // namespace mha
