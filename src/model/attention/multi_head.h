#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "config/model_config.h"
#include "model/attention/core.h"
#include "model/context.h"
#include "model/parameters.h"
#include "ops/packing.h"

namespace mha {

/// Where queries come from and what they look at, as packed rows: [total, d_model].
struct AttnInputs {
  const at::Tensor& queries;
  const SeqLayout& q_layout;
  const at::Tensor& memory;
  const SeqLayout& k_layout;
  bool causal = false;
};

struct HeadKeyValue {
  at::Tensor k, v;  // [rows, heads * d_k], [rows, heads * d_v], head after head
};

struct HeadProjections {
  at::Tensor q;  // [rows, heads * d_k]
  HeadKeyValue memory;
};

/// Multi-head attention at one place (Vaswani et al., 2017, section 3.2.2), around a core: W_Q, W_K, W_V, the core in
/// every head, concatenation, W_O. heads * d_k need not be d_model. Weights are [out, in]; head i owns rows
/// i * d_k .. (i + 1) * d_k of w_q and w_k, rows i * d_v .. of w_v, and the columns of w_o at the same numbers as its
/// rows of w_v.
class MultiHeadAttention {
 public:
  struct Spec {
    HeadDims dims;
    AttentionSettings settings;
    bool bias = true;
    std::uint64_t dropout_site = 0;
  };
  MultiHeadAttention(const Spec& spec, std::unique_ptr<AttentionCore> core, const ParameterScope& scope);
  virtual ~MultiHeadAttention() = default;
  MultiHeadAttention(const MultiHeadAttention&) = delete;
  MultiHeadAttention& operator=(const MultiHeadAttention&) = delete;

  /// The whole block on packed rows; y: [q_layout.total(), d_model]; weights padded: [batch, heads, t_q, t_k].
  AttnOut forward(const AttnInputs& inputs, const ForwardContext& context, bool want_weights = false) const;

  // The steps, for incremental decoding. x: [rows, d_model].
  virtual at::Tensor project_queries(const at::Tensor& x) const;  // [rows, heads * d_k]
  virtual HeadKeyValue project_memory(const at::Tensor& x) const;
  /// Both for self-attention.
  virtual HeadProjections project_all(const at::Tensor& x) const;
  /// Heads in, heads out, as AttentionCore::forward.
  virtual AttnOut attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttnMask& mask,
                         const AttnCall& call) const;
  /// merged [rows, heads * d_v] -> [rows, d_model]
  virtual at::Tensor project_output(const at::Tensor& merged) const;

  /// Whether forward() takes the core's form for packed rows (`attention.path`), when no weights are asked for.
  bool takes_packed_path() const;
  /// Whether it takes LibTorch's fused kernels in training: standard attention without dropout on its weights, on CUDA.
  bool takes_fused_path() const;
  /// Whether the whole block is Vaswani et al.'s with this class's weights; see AttentionCore::is_standard.
  virtual bool is_standard() const { return core_ && core_->is_standard(); }
  const HeadDims& dims() const { return spec_.dims; }
  double scale() const { return scale_; }

 protected:
  Spec spec_;
  at::Tensor w_q_, w_k_, w_v_, w_o_, b_q_, b_k_, b_v_, b_o_;  // b_*, w_o_ may be undefined

 private:
  AttnOut forward_padded(const AttnInputs& in, const at::Tensor& queries, const HeadKeyValue& memory,
                         const AttnCall& call) const;

  std::unique_ptr<AttentionCore> core_;
  double scale_;
};

/// [batch, time, heads * width] -> [batch, heads, time, width]: time and head change places; batch and head do not mix.
at::Tensor split_heads(const at::Tensor& x, std::int64_t heads);
/// The inverse: heads one after another along the features.
at::Tensor merge_heads(const at::Tensor& x);

}  // namespace mha
