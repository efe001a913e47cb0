#pragma once

#include <ATen/core/Tensor.h>

namespace mha {

/// Softmax over the visible keys of each row, computed in fp32 (double for double). scores [batch, heads, t_q, t_k];
/// visible, int32 [batch, t_q]: query i of sequence b sees keys 0 .. visible[b, i) and gives weight exactly 0 to the
/// others; a row that sees nothing is all zeros, with zero gradient, never NaN. Differentiable in scores.
at::Tensor prefix_softmax(const at::Tensor& scores, const at::Tensor& visible);

/// The same with a bool mask that broadcasts to the scores' shape (true: visible): for masks that are no prefix. Plain
/// ATen operations, any device.
at::Tensor masked_softmax(const at::Tensor& scores, const at::Tensor& visible);

namespace reference {
at::Tensor prefix_softmax(const at::Tensor& scores, const at::Tensor& visible);
}  // namespace reference

}  // namespace mha
