#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>

#include "model/transformer.h"

namespace mha {

DecoderState Transformer::start_decoding(const PackedIds& source, std::int64_t beam,
                                         const ForwardContext& context) const {
  DecoderState state;
  state.beam = beam;
  state.self.resize(decoder_.size());
  const at::Tensor memory = encode(source, context);
  for (const DecoderLayer& layer : decoder_) {
    const HeadKeyValue projected = layer.cross_attn->project_memory(memory);
    state.cross_k.push_back(
        split_heads(pad_packed(projected.k, source.layout), layer.cross_attn->dims().heads).contiguous());
    state.cross_v.push_back(
        split_heads(pad_packed(projected.v, source.layout), layer.cross_attn->dims().heads).contiguous());
  }
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < source.layout.count(); ++i) lengths.push_back(source.layout.length(i));
  state.source_lengths = at::tensor(lengths, at::kLong).to(at::kInt).to(device_);
  return state;
}

at::Tensor Transformer::step(DecoderState& state, const at::Tensor& tokens, const ForwardContext& context) const {
  check_length(state.position + 1);
  const std::int64_t rows = tokens.size(0), sentences = rows / state.beam;
  const PackedIds ids{tokens, at::full({rows}, state.position, tokens.options()),
                      SeqLayout(std::vector<std::int64_t>{0, rows})};
  ResidualStream stream(embed_side(ids, false, context), decoder_first_norm());
  const AttnMask source_mask = AttnMask::lengths(state.source_lengths);
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    const DecoderLayer& layer = decoder_[i];
    const auto attend = [&](const MultiHeadAttention& attention, const at::Tensor& q, const at::Tensor& k,
                            const at::Tensor& v, const AttnMask& mask) {
      AttnCall call;
      call.scale = attention.scale();
      return merge_heads(attention.attend(q, k, v, mask, call).y);
    };
    {
      const MultiHeadAttention& self = *layer.self_attn;
      const at::Tensor x = stream.input();
      const auto heads = [&](const at::Tensor& t) { return split_heads(t.unsqueeze(1), self.dims().heads); };
      const HeadKeyValue projected = self.project_memory(x);
      state.self[i].append(heads(projected.k), heads(projected.v));
      const at::Tensor merged =
          attend(self, heads(self.project_queries(x)), state.self[i].keys(), state.self[i].values(), AttnMask::none());
      stream.add(self.project_output(merged.squeeze(1)), pre_norm() ? *layer.cross_attn_norm : *layer.self_attn_norm,
                 {});
    }
    {
      // The rows of a sentence are the queries of one sequence, so keys and values are not copied per row.
      const MultiHeadAttention& cross = *layer.cross_attn;
      const at::Tensor projected = cross.project_queries(stream.input());
      const at::Tensor q = split_heads(projected.view({sentences, state.beam, projected.size(1)}), cross.dims().heads);
      const at::Tensor merged = attend(cross, q, state.cross_k[i], state.cross_v[i], source_mask);
      stream.add(cross.project_output(merged.view({rows, merged.size(2)})),
                 pre_norm() ? *layer.ffn_norm : *layer.cross_attn_norm, {});
    }
    stream.add(layer.ffn->forward(stream.input(), context), after_decoder_ffn(i), {});
  }
  ++state.position;
  return log_probs(stream.input());
}

void reorder_rows(DecoderState& state, const at::Tensor& rows) {
  for (KvCache& cache : state.self) cache.select(rows);
}

void keep_sentences(DecoderState& state, const at::Tensor& sentences) {
  const at::Tensor rows = (sentences.unsqueeze(1) * state.beam + at::arange(state.beam, sentences.options())).flatten();
  reorder_rows(state, rows);
  for (at::Tensor& k : state.cross_k) k = k.index_select(0, sentences);
  for (at::Tensor& v : state.cross_v) v = v.index_select(0, sentences);
  state.source_lengths = state.source_lengths.index_select(0, sentences);
}

}  // namespace mha
