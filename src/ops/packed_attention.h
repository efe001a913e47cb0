#pragma once

#include <ATen/core/Tensor.h>

#include "ops/dropout.h"
#include "ops/packing.h"

namespace mha {

struct PackedAttention {
  std::int64_t heads = 1;
  bool causal = false;  // query i of a sequence sees its keys 0 .. i
  double scale = 1;     // of the scores, usually 1 / sqrt(d_k)
  AttnDropout dropout = {};
};

/// softmax(scale q k^T) v for each sequence and head of packed rows, without padding. q [total queries, heads * d_k],
/// k [total keys, heads * d_k], v [total keys, heads * d_v] -> [total queries, heads * d_v]; head h has the columns
/// h * d .. (h + 1) * d. A query without keys gives zeros. Softmax in fp32 (double for double); dropout as in
/// attention_dropout. Scores exist for one head and a few queries at a time and are made again for the backward pass
/// (Dao et al., 2022). Differentiable in q, k and v.
at::Tensor packed_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const SeqLayout& q_layout,
                            const SeqLayout& k_layout, const PackedAttention& options);

namespace reference {
/// The textbook form on padded tensors.
at::Tensor packed_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const SeqLayout& q_layout,
                            const SeqLayout& k_layout, const PackedAttention& options);
}  // namespace reference

}  // namespace mha
