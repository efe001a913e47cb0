#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "model/attention/kinds.h"
#include "ops/dropout.h"
#include "ops/linear.h"
#include "ops/masked_softmax.h"

namespace mha {
namespace {

/// The four steps as a textbook writes them: for each head its own W_Q, W_K, W_V, its own softmax; then concatenation
/// and one W_O. Slow on purpose and written apart from the fast form: it is what the other kinds are compared with, so
/// a wrong order of the concatenation or a mixed-up axis shows. The weights are those of MultiHeadAttention, head by
/// head.
class PerHead : public MultiHeadAttention {
 public:
  PerHead(const Spec& spec, const ParameterScope& scope) : MultiHeadAttention(spec, nullptr, scope) {}

  at::Tensor project_queries(const at::Tensor& x) const override { return each_head(x, w_q_, b_q_, dims().d_k); }

  HeadKeyValue project_memory(const at::Tensor& x) const override {
    return {each_head(x, w_k_, b_k_, dims().d_k), each_head(x, w_v_, b_v_, dims().d_v)};
  }

  HeadProjections project_all(const at::Tensor& x) const override { return {project_queries(x), project_memory(x)}; }

  bool is_standard() const override { return true; }

  AttnOut attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttnMask& mask,
                 const AttnCall& call) const override {
    const at::Tensor visible = mask.visible(q.size(0), q.size(2), k.size(2)).to(q.device());
    std::vector<at::Tensor> outputs, weights;
    for (std::int64_t head = 0; head < dims().heads; ++head) {
      const at::Tensor scores = at::matmul(q.select(1, head), k.select(1, head).transpose(1, 2)) * call.scale;
      weights.push_back(masked_softmax(scores, visible.select(1, 0)));
    }
    const at::Tensor all = at::stack(weights, 1);
    const at::Tensor kept = attention_dropout(all, call.dropout, call.q_offsets);  // masks are numbered over all heads
    for (std::int64_t head = 0; head < dims().heads; ++head) {
      outputs.push_back(at::matmul(kept.select(1, head), v.select(1, head)));
    }
    return {at::stack(outputs, 1), call.want_weights ? all : at::Tensor()};
  }

  at::Tensor project_output(const at::Tensor& merged) const override {
    if (!w_o_.defined()) return merged;
    // concat(head_1 … head_h) W_O is the sum over heads of head_i times its own rows of W_O.
    at::Tensor sum;
    const std::int64_t d_v = dims().d_v;
    for (std::int64_t head = 0; head < dims().heads; ++head) {
      const at::Tensor part = linear(merged.narrow(-1, head * d_v, d_v), w_o_.narrow(1, head * d_v, d_v), at::Tensor());
      sum = sum.defined() ? sum + part : part;
    }
    return b_o_.defined() ? sum + b_o_.to(sum.scalar_type()) : sum;
  }

 private:
  at::Tensor each_head(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                       std::int64_t width) const {
    std::vector<at::Tensor> heads;
    for (std::int64_t head = 0; head < dims().heads; ++head) {
      const at::Tensor head_bias = bias.defined() ? bias.narrow(0, head * width, width) : at::Tensor();
      heads.push_back(linear(x, weight.narrow(0, head * width, width), head_bias));
    }
    return at::cat(heads, -1);
  }
};

}  // namespace

std::unique_ptr<MultiHeadAttention> make_per_head(const MultiHeadAttention::Spec& spec, const ParameterScope& scope) {
  return std::make_unique<PerHead>(spec, scope);
}

}  // namespace mha
