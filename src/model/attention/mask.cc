#include "model/attention/mask.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "ops/masked_softmax.h"

namespace mha {

AttnMask AttnMask::lengths(const at::Tensor& lengths) {
  AttnMask mask;
  mask.lengths_ = lengths.to(at::kInt);
  return mask;
}

AttnMask AttnMask::causal(std::int64_t past) {
  AttnMask mask;
  mask.past_ = past;
  return mask;
}

AttnMask operator&(const AttnMask& a, const AttnMask& b) {
  AttnMask both = a;
  if (b.lengths_.defined()) both.lengths_ = a.lengths_.defined() ? at::minimum(a.lengths_, b.lengths_) : b.lengths_;
  if (b.past_) both.past_ = a.past_ ? std::min(*a.past_, *b.past_) : *b.past_;
  return both;
}

at::Tensor AttnMask::visible_prefix(std::int64_t batch, std::int64_t t_q, std::int64_t t_k) const {
  const auto options = at::TensorOptions(at::kInt).device(lengths_.defined() ? lengths_.device() : at::kCPU);
  at::Tensor prefix = at::full({1, t_q}, t_k, options);
  if (past_) prefix = at::arange(*past_ + 1, *past_ + 1 + t_q, options).clamp_max_(t_k).unsqueeze(0);
  if (lengths_.defined()) prefix = at::minimum(prefix, lengths_.unsqueeze(1));
  return prefix.expand({batch, t_q}).contiguous();
}

at::Tensor AttnMask::visible(std::int64_t batch, std::int64_t t_q, std::int64_t t_k) const {
  const at::Tensor prefix = visible_prefix(batch, t_q, t_k);
  return at::arange(t_k, prefix.options()).view({1, 1, 1, t_k}).lt(prefix.view({batch, 1, t_q, 1}));
}

at::Tensor AttnMask::softmax(const at::Tensor& scores) const {
  return prefix_softmax(scores, visible_prefix(scores.size(0), scores.size(2), scores.size(3)).to(scores.device()));
}

}  // namespace mha
