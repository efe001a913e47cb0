#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "config/model_config.h"
#include "model/attention/mask.h"
#include "ops/dropout.h"
#include "ops/packing.h"

namespace mha {

/// What one call of an attention core needs besides heads and mask.
struct AttnCall {
  double scale = 1;                              // scores are multiplied by it
  AttnDropout dropout = {};                      // p == 0: none
  std::span<const std::int64_t> q_offsets = {};  // packed number of each sequence's first query; needed with dropout
  bool want_weights = false;
};

struct AttnOut {
  at::Tensor y;        // [batch, heads, t_q, d_v]
  at::Tensor weights;  // [batch, heads, t_q, t_k] of every head, before dropout; undefined unless asked for
};

/// Heads as packed rows, without padding: q [total queries, heads * d_k], k and v likewise; head after head.
struct PackedHeads {
  const at::Tensor &q, &k, &v;
  const SeqLayout &q_layout, &k_layout;
  std::int64_t heads = 1;
  bool causal = false;
};

/// The plug-in: heads in, heads out. It sees ordinary tensors and may use any differentiable operation. A core may own
/// parameters, which it takes from the ParameterScope handed to its maker.
class AttentionCore {
 public:
  virtual ~AttentionCore() = default;
  /// q [batch, heads, t_q, d_k], k [batch, heads, t_k, d_k], v [batch, heads, t_k, d_v].
  virtual AttnOut forward(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttnMask& mask,
                          const AttnCall& call) const = 0;

  /// Whether this is softmax(scale q k^T) v with the mask as given and nothing else, so that others may compute it in
  /// their own way (the packed form for decoding).
  virtual bool is_standard() const { return false; }

  /// A core may also have a fast path: the same function on packed rows of the CPU, [total queries, heads * d_v]. If
  /// so, it overrides both of these.
  virtual bool has_packed_form() const { return false; }
  virtual at::Tensor forward_packed(const PackedHeads& /*heads*/, const AttnCall& /*call*/) const { return {}; }
};

}  // namespace mha
