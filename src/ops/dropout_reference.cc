#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include "ops/dropout_mask.h"

namespace mha::reference {

at::Tensor dropout_multipliers(const at::Tensor& like, const DropoutSpec& spec) {
  const std::uint64_t first = spec.first_element(like.size(-1));
  at::Tensor mask = at::empty(like.sizes(), at::kDouble);
  double* out = mask.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < mask.numel(); ++i) {
    out[i] = dropout_keeps(spec.key, first + static_cast<std::uint64_t>(i), spec.p) ? 1 / (1 - spec.p) : 0;
  }
  return mask.to(like.device());
}

at::Tensor dropout(const at::Tensor& x, const DropoutSpec& spec) {
  if (spec.p == 0) return x;
  return (x * dropout_multipliers(x, spec)).to(x.scalar_type());
}

at::Tensor attention_dropout(const at::Tensor& weights, const AttnDropout& dropout,
                             std::span<const std::int64_t> q_offsets) {
  if (dropout.p == 0) return weights;
  const std::int64_t heads = weights.size(1), t_q = weights.size(2), t_k = weights.size(3);
  at::Tensor mask = at::empty(weights.sizes(), at::kDouble);
  double* out = mask.mutable_data_ptr<double>();
  for (std::int64_t row = 0; row < weights.size(0) * heads * t_q; ++row) {
    const std::int64_t b = row / (heads * t_q), h = row / t_q % heads, i = row % t_q;
    const std::uint64_t r = dropout.row(q_offsets[static_cast<std::size_t>(b)] + i, heads, h);
    for (std::int64_t j = 0; j < t_k; ++j) {
      const std::uint64_t index = dropout.whole_rows ? r : r * kDropoutBlock + static_cast<std::uint64_t>(j);
      *out++ = dropout_keeps(dropout.key, index, dropout.p) ? 1 / (1 - dropout.p) : 0;
    }
  }
  return (weights * mask.to(weights.device())).to(weights.scalar_type());
}

}  // namespace mha::reference
