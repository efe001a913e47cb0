#include "model/attention/multi_head.h"

#include <ATen/Functions.h>

#include <cmath>

#include "ops/fused_attention.h"
#include "ops/linear.h"

namespace mha {

at::Tensor split_heads(const at::Tensor& x, std::int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

at::Tensor merge_heads(const at::Tensor& x) {
  return x.transpose(1, 2).reshape({x.size(0), x.size(2), x.size(1) * x.size(3)});
}

MultiHeadAttention::MultiHeadAttention(const Spec& spec, std::unique_ptr<AttentionCore> core,
                                       const ParameterScope& scope)
    : spec_(spec), core_(std::move(core)), scale_(score_scale(spec.settings, spec.dims.d_k)) {
  const auto& [d_model, heads, d_k, d_v] = spec.dims;
  // Queries, keys and values start as one joint matrix would: Xavier over [2 * out, in], as fairseq does.
  const double gain = 1 / std::sqrt(2.0);
  w_q_ = scope.add("w_q", {heads * d_k, d_model}, Init::xavier(d_model, heads * d_k, gain));
  w_k_ = scope.add("w_k", {heads * d_k, d_model}, Init::xavier(d_model, heads * d_k, gain));
  w_v_ = scope.add("w_v", {heads * d_v, d_model}, Init::xavier(d_model, heads * d_v, gain));
  if (spec.settings.output_projection) {
    w_o_ = scope.add("w_o", {d_model, heads * d_v}, Init::xavier(heads * d_v, d_model, spec.settings.out_init_gain));
  }
  if (!spec.bias) return;
  b_q_ = scope.add("b_q", {heads * d_k}, Init::zeros());
  b_k_ = scope.add("b_k", {heads * d_k}, Init::zeros());
  b_v_ = scope.add("b_v", {heads * d_v}, Init::zeros());
  if (w_o_.defined()) b_o_ = scope.add("b_o", {d_model}, Init::zeros());
}

namespace {
/// None where the first is undefined: a model has all or none.
std::vector<at::Tensor> biases(std::vector<at::Tensor> all) {
  return all.front().defined() ? all : std::vector<at::Tensor>();
}
}  // namespace

at::Tensor MultiHeadAttention::project_queries(const at::Tensor& x) const { return linear(x, w_q_, b_q_); }

HeadKeyValue MultiHeadAttention::project_memory(const at::Tensor& x) const {
  const std::vector<at::Tensor> y = joint_linear(x, {w_k_, w_v_}, biases({b_k_, b_v_}));
  return {y[0], y[1]};
}

HeadProjections MultiHeadAttention::project_all(const at::Tensor& x) const {
  const std::vector<at::Tensor> y = joint_linear(x, {w_q_, w_k_, w_v_}, biases({b_q_, b_k_, b_v_}));
  return {y[0], {y[1], y[2]}};
}

AttnOut MultiHeadAttention::attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttnMask& mask,
                                   const AttnCall& call) const {
  return core_->forward(q, k, v, mask, call);
}

at::Tensor MultiHeadAttention::project_output(const at::Tensor& merged) const {
  return w_o_.defined() ? linear(merged, w_o_, b_o_) : merged;
}

bool MultiHeadAttention::takes_packed_path() const {
  return core_ && core_->has_packed_form() && spec_.settings.path != AttnPath::generic && w_q_.is_cpu();
}

bool MultiHeadAttention::takes_fused_path() const {
  return core_ && core_->is_standard() && spec_.settings.path != AttnPath::generic &&
         spec_.settings.attention_dropout == 0 && w_q_.is_cuda();
}

AttnOut MultiHeadAttention::forward(const AttnInputs& in, const ForwardContext& context, bool want_weights) const {
  const auto [q, memory] = in.queries.is_same(in.memory)
                               ? project_all(in.queries)
                               : HeadProjections{project_queries(in.queries), project_memory(in.memory)};
  const auto& offsets = in.q_layout.offsets();
  const DropoutSpec drop = context.dropout(spec_.settings.attention_dropout, spec_.dropout_site);
  const AttnCall call{.scale = scale_,
                      .dropout = {.p = drop.p,
                                  .whole_rows = spec_.settings.attention_dropout_kind == AttnDropoutKind::row,
                                  .key = drop.key,
                                  .first_row = drop.first_row},
                      .q_offsets = std::span(offsets.data(), offsets.size() - 1),
                      .want_weights = want_weights};
  if (!want_weights && takes_packed_path()) {
    const PackedHeads heads{q, memory.k, memory.v, in.q_layout, in.k_layout, spec_.dims.heads, in.causal};
    return {project_output(core_->forward_packed(heads, call)), {}};
  }
  return forward_padded(in, q, memory, call);
}

AttnOut MultiHeadAttention::forward_padded(const AttnInputs& in, const at::Tensor& queries, const HeadKeyValue& memory,
                                           const AttnCall& call) const {
  const auto padded = [&](const at::Tensor& rows, const SeqLayout& layout) {
    return split_heads(pad_packed(rows, layout), spec_.dims.heads);
  };
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < in.k_layout.count(); ++i) lengths.push_back(in.k_layout.length(i));
  AttnMask mask = AttnMask::lengths(at::tensor(lengths, at::kLong).to(queries.device()));
  if (in.causal) mask = mask & AttnMask::causal();
  const at::Tensor q = padded(queries, in.q_layout), k = padded(memory.k, in.k_layout),
                   v = padded(memory.v, in.k_layout);
  AttnOut out;
  if (takes_fused_path() && !call.want_weights) {
    const at::Tensor visible = mask.visible_prefix(q.size(0), q.size(2), k.size(2)).to(q.device());
    out.y = fused_attention(q, k, v, visible, call.scale);
  } else {
    out = attend(q, k, v, mask, call);
  }
  out.y = project_output(unpad(merge_heads(out.y), in.q_layout));
  return out;
}

}  // namespace mha
