#include "ops/fused_attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/scaled_dot_product_attention.h>

namespace mha {

at::Tensor fused_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& visible,
                           double scale) {
  const std::int64_t batch = q.size(0), t_q = q.size(2), t_k = k.size(2);
  const at::Tensor prefix = visible.view({batch, 1, t_q, 1});
  // A row without keys would be NaN in these kernels: it sees one, and is put to zero afterwards.
  const at::Tensor mask = at::arange(t_k, visible.options()).view({1, 1, 1, t_k}).lt(prefix.clamp_min(1));
  const at::Tensor y =
      at::scaled_dot_product_attention(q, k, v, mask.expand({batch, q.size(1), t_q, t_k}), 0.0, false, scale);
  return y.masked_fill(prefix.eq(0), 0);
}

}  // namespace mha
