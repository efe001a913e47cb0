#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>

#include <algorithm>

#include "ops/dropout_mask.h"
#include "ops/masked_softmax.h"
#include "ops/packed_attention.h"

namespace mha::reference {

namespace {

/// [total, heads * d] -> [batch, heads, time, d]
at::Tensor split_heads(const at::Tensor& packed, const SeqLayout& layout, std::int64_t heads) {
  return pad_packed(packed, layout).view({layout.count(), layout.max_length(), heads, -1}).transpose(1, 2);
}

/// How many keys each query sees, int32 [batch, t_q].
at::Tensor visible_keys(const SeqLayout& q_layout, const SeqLayout& k_layout, bool causal) {
  at::Tensor visible = at::empty({q_layout.count(), q_layout.max_length()}, at::kInt);
  auto* out = visible.mutable_data_ptr<std::int32_t>();
  for (std::int64_t b = 0; b < q_layout.count(); ++b) {
    for (std::int64_t i = 0; i < q_layout.max_length(); ++i) {
      *out++ = static_cast<std::int32_t>(causal ? std::min(i + 1, k_layout.length(b)) : k_layout.length(b));
    }
  }
  return visible;
}

}  // namespace

at::Tensor packed_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const SeqLayout& q_layout,
                            const SeqLayout& k_layout, const PackedAttention& options) {
  const std::int64_t width = v.size(1);
  const at::Tensor heads_q = split_heads(q, q_layout, options.heads), heads_k = split_heads(k, k_layout, options.heads);
  const at::Tensor scores = at::matmul(heads_q, heads_k.transpose(-2, -1)) * options.scale;
  const at::Tensor visible = visible_keys(q_layout, k_layout, options.causal).to(q.device());
  const at::Tensor weights =
      reference::attention_dropout(mha::prefix_softmax(scores, visible), options.dropout, q_layout.offsets());
  const at::Tensor heads_out = at::matmul(weights, split_heads(v, k_layout, options.heads));
  return unpad(heads_out.transpose(1, 2).reshape({q_layout.count(), q_layout.max_length(), width}), q_layout);
}

}  // namespace mha::reference
