#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace mha {

/// Which keys a query may see. There is one polarity: visible. Every mask here shows a prefix of the keys to each
/// query; what several masks hide together is their `&`.
class AttnMask {
 public:
  /// Every key is visible.
  static AttnMask none() { return {}; }
  /// Of sequence b the first lengths[b] keys; int32 or int64 [batch].
  static AttnMask lengths(const at::Tensor& lengths);
  /// Query i sees keys 0 .. past + i.
  static AttnMask causal(std::int64_t past = 0);
  friend AttnMask operator&(const AttnMask& a, const AttnMask& b);

  /// Number of visible keys, int32 [batch, t_q].
  at::Tensor visible_prefix(std::int64_t batch, std::int64_t t_q, std::int64_t t_k) const;
  /// bool [batch, 1, t_q, t_k], true: visible.
  at::Tensor visible(std::int64_t batch, std::int64_t t_q, std::int64_t t_k) const;
  /// Softmax of scores [batch, heads, t_q, t_k] over the visible keys; a query that sees none gets zeros, never NaN.
  at::Tensor softmax(const at::Tensor& scores) const;

 private:
  at::Tensor lengths_;  // undefined: all
  std::optional<std::int64_t> past_;
};

}  // namespace mha
