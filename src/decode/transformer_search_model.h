#pragma once

#include <memory>

#include "decode/search_model.h"
#include "model/transformer.h"

namespace mha {

/// A Transformer as searches see it: fp32, dropout off, with key-value caches.
class TransformerSearchModel : public SearchModel {
 public:
  explicit TransformerSearchModel(const Transformer& model);
  ~TransformerSearchModel() override;
  std::int64_t vocab_size() const override;
  std::int64_t max_length() const override;
  void start(const PackedTokens& sources, std::int64_t beam) override;
  std::span<const float> step(std::span<const TokenId> last_tokens) override;
  void reorder(std::span<const std::int64_t> parents) override;
  void keep(std::span<const std::int64_t> sentences) override;

 private:
  const Transformer& model_;
  DecoderState state_;
  at::Tensor log_probs_;
};

}  // namespace mha
