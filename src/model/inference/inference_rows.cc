#include "model/inference/inference_rows.h"

namespace mha {

void InferenceRows::embed(const PackedSide& side, std::span<const std::int32_t> tokens,
                          std::span<const std::int64_t> positions, const PackedNorm& first) {
  const std::int64_t width = model_.config().d_model;
  rows_ = static_cast<std::int64_t>(tokens.size());
  const MutableRows sum = sum_.resize(rows_, width);
  for (std::int64_t i = 0; i < rows_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    embed_row(side.embedding.data() + tokens[at] * width, side.positions.data() + positions[at] * width, side.scale,
              width, sum.row(i));
  }
  if (!side.embedding_norm.gamma.empty()) add_and_norm(side.embedding_norm.view(), width, rows_, {}, sum, sum);
  if (model_.pre_norm()) add_and_norm(first.view(), width, rows_, {}, sum, normed_.resize(rows_, width));
}

void InferenceRows::project(const PackedWeights& weights, MutableRows out) {
  const ConstRows x = input();
  product_.assign(weights.layout(), x.data, x.stride, rows_, weights.in());
  multiply(product_, weights, out.data, out.stride);
}

void InferenceRows::add_attention(const PackedAttentionBlock& block, ConstRows heads, const PackedNorm& after) {
  if (!block.projects_output) return add(heads, after);
  const MutableRows branch = branch_.resize(rows_, model_.config().d_model);
  product_.assign(block.output.layout(), heads.data, heads.stride, rows_, block.output.in());
  multiply(product_, block.output, branch.data, branch.stride);
  add(branch_.read(), after);
}

void InferenceRows::add_feed_forward(const PackedFeedForward& ffn, const PackedNorm& after) {
  const ConstRows x = input();
  const MutableRows inner = inner_.resize(rows_, ffn.first.out());
  product_.assign(ffn.first.layout(), x.data, x.stride, rows_, ffn.first.in());
  multiply(product_, ffn.first, inner.data, inner.stride, ffn.activation == Activation::relu);
  if (ffn.activation == Activation::gelu) gelu_rows(inner, rows_, ffn.inner);
  if (ffn.activation == Activation::swiglu) swiglu_rows(inner, rows_, ffn.inner);
  const MutableRows branch = branch_.resize(rows_, ffn.second.out());
  product_.assign(ffn.second.layout(), inner.data, inner.stride, rows_, ffn.inner);
  multiply(product_, ffn.second, branch.data, branch.stride);
  add(branch_.read(), after);
}

void InferenceRows::add(ConstRows branch, const PackedNorm& after) {
  const MutableRows sum = sum_.view();
  add_and_norm(after.view(), model_.config().d_model, rows_, branch, sum, model_.pre_norm() ? normed_.view() : sum);
}

}  // namespace mha
