#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "model/attention/kinds.h"
#include "ops/dropout.h"
#include "ops/packed_attention.h"

namespace mha {
namespace {

/// softmax(scale * Q K^T) V in every head at once (Vaswani et al., 2017, equation 1).
class ScaledDot : public AttentionCore {
 public:
  AttnOut forward(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttnMask& mask,
                  const AttnCall& call) const override {
    const at::Tensor weights = mask.softmax(at::matmul(q * call.scale, k.transpose(-2, -1)));
    const at::Tensor y = at::matmul(attention_dropout(weights, call.dropout, call.q_offsets), v);
    return {y, call.want_weights ? weights : at::Tensor()};
  }

  bool is_standard() const override { return true; }
  bool has_packed_form() const override { return true; }

  at::Tensor forward_packed(const PackedHeads& in, const AttnCall& call) const override {
    return packed_attention(in.q, in.k, in.v, in.q_layout, in.k_layout,
                            {.heads = in.heads, .causal = in.causal, .scale = call.scale, .dropout = call.dropout});
  }
};

}  // namespace

std::unique_ptr<MultiHeadAttention> make_scaled_dot(const MultiHeadAttention::Spec& spec, const ParameterScope& scope) {
  return std::make_unique<MultiHeadAttention>(spec, std::make_unique<ScaledDot>(), scope);
}

}  // namespace mha
