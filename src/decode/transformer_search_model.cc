#include "decode/transformer_search_model.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <numeric>

#include "decode/top_k.h"

namespace mha {
namespace {

at::Tensor indices(std::span<const std::int64_t> values, at::Device device) {
  at::Tensor out = at::empty({static_cast<std::int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), out.data_ptr<std::int64_t>());
  return out.to(device);
}

}  // namespace

TransformerSearchModel::TransformerSearchModel(const Transformer& model) : model_(model) {}
TransformerSearchModel::~TransformerSearchModel() = default;

std::int64_t TransformerSearchModel::vocab_size() const { return model_.spec().target_vocab; }
std::int64_t TransformerSearchModel::max_length() const { return model_.spec().model.max_positions; }

void TransformerSearchModel::start(const PackedTokens& sources, std::int64_t beam) {
  const at::NoGradGuard no_grad;
  state_ =
      model_.start_decoding(packed_ids({sources.tokens, sources.offsets}, model_.device()), beam, ForwardContext{});
  beam_ = beam;
  sentences_.resize(static_cast<std::size_t>(sources.count()));
  std::iota(sentences_.begin(), sentences_.end(), std::int64_t{0});
}

/// Places each sentence's rows at the first of its `beam` rows in the state, and moves the state there.
void TransformerSearchModel::lay_out(std::span<const DecoderRow> rows) {
  const bool first_step = state_.position == 0;
  std::vector<std::int64_t> kept, sentences, places;
  state_tokens_.clear();
  state_parents_.clear();
  for (std::size_t first = 0, end = 0; first < rows.size(); first = end) {
    const std::int64_t sentence = rows[first].sentence;
    while (end < rows.size() && rows[end].sentence == sentence) ++end;
    const auto was = std::ranges::lower_bound(sentences_, sentence) - sentences_.begin();
    const auto is = static_cast<std::int64_t>(kept.size());
    for (std::int64_t slot = 0; slot < beam_; ++slot) {
      const std::size_t own = first + static_cast<std::size_t>(slot);
      const DecoderRow& row = rows[own < end ? own : first];
      if (own < end) places.push_back(is * beam_ + slot);
      const std::int64_t slot_before = first_step ? 0 : state_rows_[static_cast<std::size_t>(row.parent)] - was * beam_;
      state_tokens_.push_back(row.token);
      state_parents_.push_back(is * beam_ + slot_before);
    }
    kept.push_back(was);
    sentences.push_back(sentence);
  }
  if (kept.size() < sentences_.size()) keep_sentences(state_, indices(kept, model_.device()));
  std::vector<std::int64_t> in_place(state_parents_.size());
  std::iota(in_place.begin(), in_place.end(), std::int64_t{0});
  if (!first_step && state_parents_ != in_place) reorder_rows(state_, indices(state_parents_, model_.device()));
  sentences_ = std::move(sentences);
  state_rows_ = std::move(places);
}

void TransformerSearchModel::step(std::span<const DecoderRow> rows, const NextTokenQuery& query,
                                  NextTokenTable& table) {
  const at::NoGradGuard no_grad;
  lay_out(rows);
  const at::Tensor all = model_.step(state_, indices(state_tokens_, model_.device()), ForwardContext{});
  const at::Tensor log_probs = all.index_select(0, indices(state_rows_, model_.device())).cpu().contiguous();
  fill_table({log_probs.const_data_ptr<float>(), static_cast<std::size_t>(log_probs.numel())}, vocab_size(), query,
             table);
}

}  // namespace mha
