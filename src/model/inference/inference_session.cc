#include "model/inference/inference_session.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace mha {

InferenceSession::InferenceSession(std::shared_ptr<const PackedTransformer> model)
    : model_(std::move(model)), stream_(*model_), caches_(model_->decoder().size()) {}

void InferenceSession::check_length(std::int64_t length) const {
  if (length <= model_->config().max_positions) return;
  throw std::length_error("a sequence of " + std::to_string(length) + " tokens is longer than model.max_positions, " +
                          std::to_string(model_->config().max_positions));
}

// What stands between the end of a layer and its reader: pre-norm, the next layer's first norm or the stack's last;
// post-norm, the layer's own.
const PackedNorm& InferenceSession::after_encoder_layer(std::size_t layer) const {
  if (!model_->pre_norm()) return model_->encoder()[layer].ffn_norm;
  return layer + 1 < model_->encoder().size() ? model_->encoder()[layer + 1].self_norm : model_->source().last_norm;
}
const PackedNorm& InferenceSession::after_decoder_layer(std::size_t layer) const {
  if (!model_->pre_norm()) return model_->decoder()[layer].ffn_norm;
  return layer + 1 < model_->decoder().size() ? model_->decoder()[layer + 1].self_norm : model_->target().last_norm;
}

void InferenceSession::start(const TokenRows& sources) {
  position_ = 0;
  source_lengths_.clear();
  positions_.clear();
  for (std::size_t i = 0; i + 1 < sources.offsets.size(); ++i) {
    source_lengths_.push_back(sources.offsets[i + 1] - sources.offsets[i]);
    check_length(source_lengths_.back());
    for (std::int64_t t = 0; t < source_lengths_.back(); ++t) positions_.push_back(t);
  }
  encode(sources);
  project_memory(sources);
}

void InferenceSession::encode(const TokenRows& sources) {
  stream_.embed(model_->source(), sources.tokens, positions_, model_->encoder().front().self_norm);
  const std::int64_t rows = stream_.rows();
  for (std::size_t i = 0; i < model_->encoder().size(); ++i) {
    const PackedLayer& layer = model_->encoder()[i];
    const HeadWidths& widths = layer.self.heads;
    const MutableRows queries = queries_.resize(rows, widths.q_width());
    const MutableRows key_values = projected_.resize(rows, widths.kv_width());
    const MutableRows heads = heads_.resize(rows, widths.out_width());
    stream_.project(layer.self.queries, queries);
    stream_.project(layer.self.key_values, key_values);
    for (std::size_t s = 0; s < source_lengths_.size(); ++s) {
      const std::int64_t first = sources.offsets[s], length = source_lengths_[s];
      float* arranged = at_least_size(arranged_, arranged_size(widths, length));
      arrange_memory(widths, {key_values.row(first), key_values.stride}, length, arranged);
      attend_memory(widths, arranged, length, {queries.row(first), queries.stride}, length,
                    {heads.row(first), heads.stride}, scratch_);
    }
    stream_.add_attention(layer.self, heads_.read(), model_->pre_norm() ? layer.ffn_norm : layer.self_norm);
    stream_.add_feed_forward(layer.ffn, after_encoder_layer(i));
  }
}

void InferenceSession::project_memory(const TokenRows& sources) {
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    const PackedAttentionBlock& block = model_->decoder()[i].cross;
    LayerCache& cache = caches_[i];
    const MutableRows key_values = projected_.resize(stream_.rows(), block.heads.kv_width());
    stream_.project(block.key_values, key_values);
    cache.memory_start.clear();
    std::int64_t size = 0;
    for (const std::int64_t length : source_lengths_) {
      cache.memory_start.push_back(size);
      size += arranged_size(block.heads, length);
    }
    float* memory = at_least_size(cache.memory, size);
    for (std::size_t s = 0; s < source_lengths_.size(); ++s) {
      arrange_memory(block.heads, {key_values.row(sources.offsets[s]), key_values.stride}, source_lengths_[s],
                     memory + cache.memory_start[s]);
    }
  }
}

void InferenceSession::follow(std::span<const DecoderRow> rows) {
  const auto count = rows.size();
  tokens_.clear();
  for (const DecoderRow& row : rows) tokens_.push_back(row.token);
  positions_.assign(count, position_);
  if (static_cast<std::size_t>(position_) == ancestors_.size()) ancestors_.emplace_back();
  for (std::int64_t t = 0; t < position_; ++t) {
    std::vector<std::int32_t>& written = ancestors_[static_cast<std::size_t>(t)];
    permuted_.clear();
    for (const DecoderRow& row : rows) permuted_.push_back(written.at(static_cast<std::size_t>(row.parent)));
    written.swap(permuted_);
  }
  std::vector<std::int32_t>& own = ancestors_[static_cast<std::size_t>(position_)];
  own.clear();
  for (std::size_t i = 0; i < count; ++i) own.push_back(static_cast<std::int32_t>(i));
}

void InferenceSession::self_attention(const PackedAttentionBlock& block, LayerCache& cache) {
  const std::int64_t rows = stream_.rows(), keys = position_ + 1;
  if (cache.steps.size() < static_cast<std::size_t>(keys)) cache.steps.emplace_back();
  stream_.project(block.key_values,
                  cache.steps[static_cast<std::size_t>(position_)].resize(rows, block.heads.kv_width()));
  const MutableRows queries = queries_.resize(rows, block.heads.q_width());
  const MutableRows heads = heads_.resize(rows, block.heads.out_width());
  stream_.project(block.queries, queries);
  key_values_.resize(static_cast<std::size_t>(keys));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::size_t t = 0; t < key_values_.size(); ++t) {
      key_values_[t] = cache.steps[t].read().row(ancestors_[t][static_cast<std::size_t>(i)]);
    }
    attend_scattered(block.heads, key_values_.data(), keys, queries.row(i), heads.row(i), scratch_);
  }
}

void InferenceSession::cross_attention(const PackedAttentionBlock& block, const LayerCache& cache,
                                       std::span<const DecoderRow> rows) {
  const MutableRows queries = queries_.resize(stream_.rows(), block.heads.q_width());
  const MutableRows heads = heads_.resize(stream_.rows(), block.heads.out_width());
  stream_.project(block.queries, queries);
  for (std::size_t first = 0, end = 0; first < rows.size(); first = end) {
    const auto sentence = static_cast<std::size_t>(rows[first].sentence);
    while (end < rows.size() && rows[end].sentence == rows[first].sentence) ++end;
    const auto row = static_cast<std::int64_t>(first);
    attend_memory(block.heads, cache.memory.data() + cache.memory_start[sentence], source_lengths_[sentence],
                  {queries.row(row), queries.stride}, static_cast<std::int64_t>(end - first),
                  {heads.row(row), heads.stride}, scratch_);
  }
}

void InferenceSession::step(std::span<const DecoderRow> rows, const NextTokenQuery& query, NextTokenTable& table) {
  check_length(position_ + 1);
  follow(rows);
  stream_.embed(model_->target(), tokens_, positions_, model_->decoder().front().self_norm);
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    const PackedDecoderLayer& layer = model_->decoder()[i];
    const bool pre = model_->pre_norm();
    self_attention(layer.self, caches_[i]);
    stream_.add_attention(layer.self, heads_.read(), pre ? layer.cross_norm : layer.self_norm);
    cross_attention(layer.cross, caches_[i], rows);
    stream_.add_attention(layer.cross, heads_.read(), pre ? layer.ffn_norm : layer.cross_norm);
    stream_.add_feed_forward(layer.ffn, after_decoder_layer(i));
  }
  ++position_;
  const ConstRows hidden = stream_.input();
  output_rows_.assign(model_->output().layout(), hidden.data, hidden.stride, stream_.rows(), model_->output().in());
  next_tokens_.find(output_rows_, model_->output(), query, table);
}

}  // namespace mha
