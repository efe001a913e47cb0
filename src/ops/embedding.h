#pragma once

#include <ATen/core/Tensor.h>

#include "ops/dropout.h"

namespace mha {

/// dropout(weight[token] * scale + positions[position]). tokens, position_ids: int64 [rows]; weight [vocab, d_model]
/// and positions [max_positions, d_model] fp32 (double) -> [rows, d_model] of type `dtype`. Differentiable in weight
/// and, if it requires a gradient, positions; sums over equal tokens are made in a fixed order.
struct EmbedOptions {
  double scale = 1;
  DropoutSpec dropout = {};
  at::ScalarType dtype = at::kFloat;
};
at::Tensor embed(const at::Tensor& tokens, const at::Tensor& position_ids, const at::Tensor& weight,
                 const at::Tensor& positions, const EmbedOptions& options);

namespace reference {
at::Tensor embed(const at::Tensor& tokens, const at::Tensor& position_ids, const at::Tensor& weight,
                 const at::Tensor& positions, const EmbedOptions& options);
}  // namespace reference

}  // namespace mha
