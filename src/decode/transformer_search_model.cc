#include "decode/transformer_search_model.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

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
}

std::span<const float> TransformerSearchModel::step(std::span<const TokenId> last_tokens) {
  const at::NoGradGuard no_grad;
  at::Tensor tokens = at::empty({static_cast<std::int64_t>(last_tokens.size())}, at::kLong);
  std::copy(last_tokens.begin(), last_tokens.end(), tokens.data_ptr<std::int64_t>());
  log_probs_ = model_.step(state_, tokens.to(model_.device()), ForwardContext{}).cpu().contiguous();
  return {log_probs_.const_data_ptr<float>(), static_cast<std::size_t>(log_probs_.numel())};
}

void TransformerSearchModel::reorder(std::span<const std::int64_t> parents) {
  reorder_rows(state_, indices(parents, model_.device()));
}

void TransformerSearchModel::keep(std::span<const std::int64_t> sentences) {
  keep_sentences(state_, indices(sentences, model_.device()));
}

}  // namespace mha
