#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/model_config.h"
#include "model/attention/kv_cache.h"
#include "model/attention/multi_head.h"
#include "model/batch_tensors.h"
#include "model/context.h"
#include "model/layers.h"
#include "model/parameters.h"
#include "ops/cross_entropy.h"

namespace mha {

struct EncoderLayer {
  std::unique_ptr<MultiHeadAttention> self_attn;
  std::unique_ptr<Norm> self_attn_norm;
  std::unique_ptr<FeedForward> ffn;
  std::unique_ptr<Norm> ffn_norm;
  std::uint64_t attn_site = 0, ffn_site = 0;
};

struct DecoderLayer : EncoderLayer {
  std::unique_ptr<MultiHeadAttention> cross_attn;
  std::unique_ptr<Norm> cross_attn_norm;
  std::uint64_t cross_site = 0;
};

/// What an incremental decoder remembers; see Transformer::start_decoding.
struct DecoderState {
  std::vector<KvCache> self;                 // per layer, [rows, …]
  std::vector<at::Tensor> cross_k, cross_v;  // per layer, [sentences, heads, t, width]
  at::Tensor source_lengths;                 // int32 [sentences]
  std::int64_t beam = 1, position = 0;
};

/// Encoder-decoder Transformer (Vaswani et al., 2017) on packed rows: no padding outside the attention.
class Transformer {
 public:
  struct Spec {
    ModelConfig model;
    AttentionConfig attention;
    std::int64_t source_vocab = 0, target_vocab = 0;
    std::int64_t pad = 0;  // the symbol that gets no label-smoothing mass
    std::uint64_t seed = 1;
  };
  Transformer(const Spec& spec, at::Device device);

  // A sequence that is longer than max_positions: std::length_error.
  /// Encoder output [source rows, d_model].
  at::Tensor encode(const PackedIds& source, const ForwardContext& context) const;
  /// Decoder output before the output projection, [target rows, d_model].
  at::Tensor decode(const at::Tensor& memory, const SeqLayout& source_layout, const PackedIds& target,
                    const ForwardContext& context) const;
  /// Loss sums over the batch's target tokens.
  TokenLoss loss(const BatchTensors& batch, double label_smoothing, const ForwardContext& context) const;
  /// Log-probability of every target token, fp32 [target rows].
  at::Tensor token_log_probs(const BatchTensors& batch, const ForwardContext& context) const;
  /// Log-probabilities over the target vocabulary for rows of decoder output, fp32 [rows, target_vocab].
  at::Tensor log_probs(const at::Tensor& hidden) const;

  /// Encodes sources for incremental decoding with `beam` rows each.
  DecoderState start_decoding(const PackedIds& source, std::int64_t beam, const ForwardContext& context) const;
  /// Feeds one token a row, int64 [sentences * beam]; log-probabilities of the next, fp32 [rows, target_vocab].
  at::Tensor step(DecoderState& state, const at::Tensor& tokens, const ForwardContext& context) const;

  /// Whether every attention block is_standard().
  bool has_standard_attention() const;
  ParameterStore& parameters() { return parameters_; }
  const ParameterStore& parameters() const { return parameters_; }
  const Spec& spec() const { return spec_; }
  at::Device device() const { return device_; }
  /// The attention of one place; layers from 1.
  const MultiHeadAttention& attention(AttnPlace place, std::int64_t layer) const;
  /// Whether every attention place takes the path for packed rows: then filler rows cost next to nothing.
  bool all_packed() const;
  /// Number of parameters by part: embeddings, positions, output, encoder_self_attention, decoder_self_attention,
  /// cross_attention, encoder_feed_forward, decoder_feed_forward, norms; a tied matrix counts once.
  std::map<std::string, std::int64_t> parameters_by_part() const;

 private:
  struct Memory {  // encoder output, [rows, d_model]
    const at::Tensor& rows;
    const SeqLayout& layout;
  };
  const Norm* encoder_first_norm() const;
  const Norm* decoder_first_norm() const;
  const Norm& after_encoder_ffn(std::size_t layer) const;
  const Norm& after_decoder_ffn(std::size_t layer) const;
  bool pre_norm() const { return spec_.model.norm == NormPlace::pre; }
  void check_length(std::int64_t length) const;
  at::Tensor embed_side(const PackedIds& ids, bool source, const ForwardContext& context) const;
  void encoder_layer(std::size_t number, ResidualStream& stream, const SeqLayout& layout,
                     const ForwardContext& context) const;
  void decoder_layer(std::size_t number, ResidualStream& stream, const Memory& memory, const SeqLayout& layout,
                     const ForwardContext& context) const;

  Spec spec_;
  at::Device device_;
  ParameterStore parameters_;
  at::Tensor source_embedding_, target_embedding_, output_weight_;  // the same tensor where tied
  at::Tensor source_positions_, target_positions_;
  std::unique_ptr<Norm> source_embedding_norm_, target_embedding_norm_, encoder_norm_, decoder_norm_;
  std::uint64_t source_site_ = 0, target_site_ = 0;
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
};

/// Moves a state's rows: row i goes on from rows[i]; int64 [rows].
void reorder_rows(DecoderState& state, const at::Tensor& rows);
/// Keeps some sentences (all their rows); int64 [kept].
void keep_sentences(DecoderState& state, const at::Tensor& sentences);

}  // namespace mha
