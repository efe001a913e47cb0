#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/model_config.h"
#include "model/transformer.h"
#include "ops/inference/decoding_attention.h"
#include "ops/inference/packed_weights.h"
#include "ops/inference/row_kernels.h"

namespace mha {

struct PackedNorm {
  std::vector<float> gamma, beta;  // beta empty: none
  double eps = 1e-5;
  bool rms = false;
  RowNorm view() const {
    return {.gamma = gamma.data(), .beta = beta.empty() ? nullptr : beta.data(), .eps = eps, .rms = rms};
  }
};

/// One attention block: [w_k, w_v] are one product.
struct PackedAttentionBlock {
  HeadWidths heads;
  PackedWeights queries, key_values, output;
  bool projects_output = true;
};

struct PackedFeedForward {
  Activation activation = Activation::relu;
  std::int64_t inner = 0;
  PackedWeights first, second;  // swiglu: first is [w_1, w_3]
};

struct PackedLayer {
  PackedAttentionBlock self;
  PackedFeedForward ffn;
  PackedNorm self_norm, ffn_norm;
};
struct PackedDecoderLayer : PackedLayer {
  PackedAttentionBlock cross;
  PackedNorm cross_norm;
};

/// Embeddings, positions and norms of one side.
struct PackedSide {
  std::vector<float> embedding, positions;  // [vocabulary, d_model], [max_positions, d_model]
  PackedNorm embedding_norm, last_norm;     // gamma empty: none
  float scale = 1;
};

/// The weights of a Transformer as inference reads them: a copy, packed for products with few rows. Immutable and
/// shared by threads. Embeddings, positions, norms and softmax are fp32 whatever the format of the products.
class PackedTransformer {
 public:
  /// Whether the packed form computes what the model does: an fp32 model on the CPU, all attention standard.
  static bool supports(const Transformer& model);
  PackedTransformer(const Transformer& model, WeightFormat format);

  const ModelConfig& config() const { return config_; }
  std::int64_t target_vocab() const { return target_vocab_; }
  bool pre_norm() const { return config_.norm == NormPlace::pre; }

  const PackedSide& source() const { return source_; }
  const PackedSide& target() const { return target_; }
  const std::vector<PackedLayer>& encoder() const { return encoder_; }
  const std::vector<PackedDecoderLayer>& decoder() const { return decoder_; }
  const PackedWeights& output() const { return output_; }

 private:
  ModelConfig config_;
  std::int64_t target_vocab_ = 0;
  PackedSide source_, target_;
  std::vector<PackedLayer> encoder_;
  std::vector<PackedDecoderLayer> decoder_;
  PackedWeights output_;
};

}  // namespace mha
