#pragma once

#include <memory>

#include "decode/search_model.h"
#include "model/inference/inference_session.h"

namespace mha {

/// The fast path: packed weights, which several of these share.
class PackedSearchModel : public SearchModel {
 public:
  explicit PackedSearchModel(std::shared_ptr<const PackedTransformer> model);
  std::int64_t vocab_size() const override;
  std::int64_t max_length() const override;
  void start(const PackedTokens& sources, std::int64_t beam) override;
  void step(std::span<const DecoderRow> rows, const NextTokenQuery& query, NextTokenTable& table) override;

 private:
  std::shared_ptr<const PackedTransformer> model_;
  InferenceSession session_;
};

}  // namespace mha
