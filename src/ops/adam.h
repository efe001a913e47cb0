#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mha {

struct AdamOptions {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.98, eps = 1e-9, weight_decay = 0;
  bool decoupled = false;  // AdamW (Loshchilov and Hutter, 2019)
  double grad_scale = 1;   // gradients are multiplied by this first (1 / tokens, clipping)
};

/// One Adam update (Kingma and Ba, 2015, with bias correction) over flat fp32 buffers of equal length, one pass over
/// memory, in place. step counts from 1.
void adam_step(at::Tensor& parameters, const at::Tensor& gradients, at::Tensor& first_moment, at::Tensor& second_moment,
               std::int64_t step, const AdamOptions& options);

/// The 2-norm of a flat buffer, accumulated in double over blocks of fixed size: the same for any number of threads.
/// Not finite if any element is not.
double norm_of(const at::Tensor& flat);

/// The same by LibTorch's fused kernel, for buffers on a device that has one (CUDA; on the CPU too, for tests).
void fused_adam_step(at::Tensor& parameters, const at::Tensor& gradients, at::Tensor& first_moment,
                     at::Tensor& second_moment, std::int64_t step, const AdamOptions& options);

namespace reference {
void adam_step(at::Tensor& parameters, const at::Tensor& gradients, at::Tensor& first_moment, at::Tensor& second_moment,
               std::int64_t step, const AdamOptions& options);
}  // namespace reference

}  // namespace mha
