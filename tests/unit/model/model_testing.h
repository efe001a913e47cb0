#pragma once

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "model/attention/kinds.h"
#include "model/transformer.h"

namespace mha::testing {

/// Values in [-1, 1) that depend on the key only.
inline at::Tensor random_tensor(at::IntArrayRef shape, std::uint64_t key, at::ScalarType type = at::kFloat) {
  at::Tensor out = at::empty(shape, at::kDouble);
  RandomStream random(key);
  double* at = out.data_ptr<double>();
  for (std::int64_t i = 0; i < out.numel(); ++i) at[i] = 2 * random.uniform() - 1;
  return out.to(type);
}

inline double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  if (a.numel() == 0) return 0;
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

inline bool same_bytes(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a.contiguous(), y = b.contiguous();
  return x.nbytes() == y.nbytes() && std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

inline SeqLayout layout_of(const std::vector<std::int64_t>& lengths) {
  std::vector<std::int64_t> offsets = {0};
  for (const std::int64_t length : lengths) offsets.push_back(offsets.back() + length);
  return SeqLayout(offsets);
}

/// Biases and norms start as zeros and ones, which hides mistakes: gives every vector other values.
inline void shake_vectors(ParameterStore& parameters) {
  std::uint64_t key = 1000;
  for (const auto& [name, value] : parameters.all()) {
    if (value.dim() == 1) value.data().add_(random_tensor(value.sizes(), ++key, value.scalar_type()), 0.3);
  }
}

/// One attention block with parameters of its own.
struct Block {
  Block(const AttentionSettings& settings, const HeadDims& dims, bool bias = true, at::ScalarType type = at::kFloat) {
    attention = make_attention({.dims = dims, .settings = settings, .bias = bias, .dropout_site = 3},
                               ParameterScope(parameters));
    parameters.flatten(at::kCPU, type);
    shake_vectors(parameters);
  }

  AttnOut self(const at::Tensor& x, const SeqLayout& layout, bool causal, const ForwardContext& context = {}) const {
    return attention->forward({x, layout, x, layout, causal}, context, /*want_weights=*/true);
  }
  AttnOut cross(const at::Tensor& x, const SeqLayout& q_layout, const at::Tensor& memory,
                const SeqLayout& k_layout) const {
    return attention->forward({x, q_layout, memory, k_layout, false}, {}, /*want_weights=*/true);
  }
  at::Tensor heads(const at::Tensor& projected, const SeqLayout& layout) const {
    return split_heads(pad_packed(projected, layout), attention->dims().heads);
  }

  ParameterStore parameters{7};
  std::unique_ptr<MultiHeadAttention> attention;
};

/// Names a test after its attention kind.
inline std::string kind_name(const ::testing::TestParamInfo<std::string>& test) { return test.param; }

inline AttentionSettings settings_of(const std::string& kind) {
  AttentionSettings settings;
  settings.kind = kind;
  return settings;
}

inline ForwardContext training_context(std::uint64_t step_key = 5) {
  ForwardContext context;
  context.training = true;
  context.step_key = step_key;
  return context;
}

using Sentences = std::vector<std::vector<std::int32_t>>;

/// Token ids with their offsets.
struct Rows {
  std::vector<std::int32_t> tokens;
  std::vector<std::int64_t> offsets = {0};

  explicit Rows(const Sentences& sentences) {
    for (const auto& sentence : sentences) {
      tokens.insert(tokens.end(), sentence.begin(), sentence.end());
      offsets.push_back(static_cast<std::int64_t>(tokens.size()));
    }
  }
  TokenRows view() const { return {tokens, offsets}; }
};

inline PackedIds ids_of(const Sentences& sentences) { return packed_ids(Rows(sentences).view(), at::kCPU); }

constexpr std::int32_t kBos = 2, kEos = 3;

/// Sources as they are; the decoder reads BOS and the target, and is to say the target and EOS.
inline BatchTensors batch_of(const Sentences& sources, const Sentences& targets, std::int64_t round_rows = 1,
                             at::Device device = at::kCPU) {
  Sentences in, out;
  for (const auto& target : targets) {
    in.push_back({kBos});
    in.back().insert(in.back().end(), target.begin(), target.end());
    out.push_back(target);
    out.back().push_back(kEos);
  }
  return batch_tensors(Rows(sources).view(), Rows(in).view(), Rows(out).tokens, device, round_rows);
}

/// `length` ids from 4 on, below `vocab`.
inline std::vector<std::int32_t> sentence(std::size_t length, std::uint64_t key, std::uint64_t vocab = 12) {
  RandomStream random(key);
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < length; ++i) ids.push_back(static_cast<std::int32_t>(4 + random.below(vocab - 4)));
  return ids;
}

/// Two layers a side, 12 symbols, three heads of width 5 for a model of width 8; no dropout.
inline Transformer::Spec small_spec(const std::string& kind = "scaled_dot") {
  Transformer::Spec spec;
  spec.model = {.encoder_layers = 2, .decoder_layers = 2, .d_model = 8, .d_ff = 16, .dropout = 0, .max_positions = 100};
  spec.attention.kind = kind;
  spec.attention.num_heads = 3;
  spec.attention.d_k = ValueOrWord<std::int64_t>::of(5);
  spec.source_vocab = 12;
  spec.target_vocab = 12;
  return spec;
}

}  // namespace mha::testing
