#pragma once

#include <ATen/core/Tensor.h>

namespace mha {

/// softmax(scale * q k^T) v over the visible keys (Vaswani et al., 2017, equation 1) by whichever of LibTorch's fused
/// kernels fits the device and the shapes (flash or memory-efficient attention; Dao et al., 2022): the weights are
/// never in memory. q [batch, heads, t_q, d_k], k [batch, heads, t_k, d_k], v [batch, heads, t_k, d_v]; visible, int32
/// [batch, t_q]: query i of sequence b sees keys 0 .. visible[b, i), one that sees none gets zeros. Gives
/// [batch, heads, t_q, d_v]; differentiable in q, k, v. No dropout: the kernels' masks would not be those of the other
/// paths.
at::Tensor fused_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& visible,
                           double scale);

}  // namespace mha
