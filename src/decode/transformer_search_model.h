#pragma once

#include <vector>

#include "decode/search_model.h"
#include "model/transformer.h"

namespace mha {

/// The plain path: a Transformer of any attention kind on any device as searches see it, by LibTorch's operations;
/// fp32, dropout off, with key-value caches. It computes `beam` rows for every sentence; rows without a hypothesis
/// repeat one.
class TransformerSearchModel : public SearchModel {
 public:
  explicit TransformerSearchModel(const Transformer& model);
  ~TransformerSearchModel() override;
  std::int64_t vocab_size() const override;
  std::int64_t max_length() const override;
  void start(const PackedTokens& sources, std::int64_t beam) override;
  void step(std::span<const DecoderRow> rows, const NextTokenQuery& query, NextTokenTable& table) override;

 private:
  void lay_out(std::span<const DecoderRow> rows);

  const Transformer& model_;
  DecoderState state_;
  std::int64_t beam_ = 1;
  std::vector<std::int64_t> sentences_;                     // those in the state, as numbered by start()
  std::vector<std::int64_t> state_rows_;                    // where each row of the last step lies in the state
  std::vector<std::int64_t> state_tokens_, state_parents_;  // of every row of the state
};

}  // namespace mha
