#include "decode/packed_search_model.h"

namespace mha {

PackedSearchModel::PackedSearchModel(std::shared_ptr<const PackedTransformer> model) : model_(model), session_(model) {}

std::int64_t PackedSearchModel::vocab_size() const { return model_->target_vocab(); }
std::int64_t PackedSearchModel::max_length() const { return model_->config().max_positions; }

void PackedSearchModel::start(const PackedTokens& sources, std::int64_t /*beam*/) {
  session_.start({sources.tokens, sources.offsets});
}

void PackedSearchModel::step(std::span<const DecoderRow> rows, const NextTokenQuery& query, NextTokenTable& table) {
  session_.step(rows, query, table);
}

}  // namespace mha
