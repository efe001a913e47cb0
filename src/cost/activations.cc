#include "cost/activations.h"

#include <algorithm>
#include <vector>

#include "cost/attention_blocks.h"

namespace mha {
namespace {

constexpr double kFloat = 4;        // bytes
constexpr double kLogitRows = 512;  // rows that ops/cross_entropy.cc makes logits for at a time

/// Bytes that one layer, or one sub-layer, holds.
struct Held {
  double kept = 0, casts = 0;
  double work = 0;  // more, for a moment, in its backward pass

  Held& operator+=(const Held& more) {
    kept += more.kept;
    casts += more.casts;
    work = std::max(work, more.work);
    return *this;
  }
  double all() const { return kept + casts + work; }
};

class Counter {
 public:
  Counter(const RunConfig& config, const RunShape& shape, const BatchRows& rows)
      : model_(config.model),
        blocks_(attention_blocks(config)),
        shape_(shape),
        element_(shape.bf16 ? 2 : kFloat),
        d_model_(static_cast<double>(model_.d_model)),
        source_(rows.part_source()),
        target_(rows.part_target()) {}

  /// The residual stream between layers, of both sides: what recomputation keeps.
  double stream() const {
    const double tensors = model_.norm == NormPlace::pre ? 2 : 1;
    return tensors * d_model_ * element_ *
           (static_cast<double>(model_.encoder_layers) * source_ +
            static_cast<double>(model_.decoder_layers) * target_);
  }

  /// Embeddings, and what the first norm makes of them.
  double embedded() const {
    return (model_.norm == NormPlace::pre ? 2 : 1) * d_model_ * element_ * (source_ + target_);
  }

  std::vector<Held> layers() const {
    std::vector<Held> layers;
    for (const AttentionBlock& block : blocks_) {
      const bool decoder = block.place != AttnPlace::encoder_self;
      if (block.place != AttnPlace::cross) layers.push_back(feed_forward(decoder ? target_ : source_));
      layers.back() += attention(block);
    }
    return layers;
  }

  /// Gradients of hidden rows and output matrix, fp32 for the matrix; casts; logits of some rows.
  double loss_gradients() const { return vocabulary() * kFloat + target_ * d_model_ * element_; }
  double loss_work() const {
    const double casts = shape_.bf16 ? 2 * vocabulary() * element_ : 0;
    return casts + std::min(target_, kLogitRows) * static_cast<double>(shape_.target_vocab) * element_;
  }

 private:
  double vocabulary() const { return static_cast<double>(shape_.target_vocab) * d_model_; }

  /// After each sub-layer: the sum and its norm.
  double between(double rows) const { return 2 * rows * d_model_ * element_; }

  Held feed_forward(double rows) const {
    const bool swiglu = model_.activation == Activation::swiglu;
    const double d_ff = static_cast<double>(model_.d_ff),
                 first = d_ff * (swiglu ? 2 : 1);  // W_1, with swiglu W_3 below
    const double joint = swiglu || shape_.bf16 ? d_model_ * first : 0, single = shape_.bf16 ? d_model_ * d_ff : 0;
    return {.kept = between(rows) + rows * first * element_,
            .casts = (joint + single) * element_,
            .work = rows * (first + 2 * d_model_) * element_ + d_model_ * (first + d_ff) * kFloat + single * element_};
  }

  Held attention(const AttentionBlock& block) const {
    const bool cross = block.place == AttnPlace::cross;
    const double queries = block.place == AttnPlace::encoder_self ? source_ : target_;
    const double memory = cross ? source_ : queries;
    const double keys = block.key_width(), values = block.value_width(), heads = static_cast<double>(block.dims.heads);
    const double projected = queries * keys + memory * (keys + values);
    const double joint = d_model_ * (cross ? keys + values : 2 * keys + values);  // copied side by side
    const double single = d_model_ * ((cross ? keys : 0) + (block.output_projection ? values : 0));
    Held held{.kept = between(queries) + (projected + queries * values) * element_,
              .casts = joint * element_ + (shape_.bf16 ? single * element_ : 0),
              .work = (2 * projected + queries * values + queries * d_model_) * element_ + joint * kFloat};
    if (block.packed) {
      held.kept += queries * heads * kFloat;  // of each row the logarithm of its sum
    } else {
      // The heads are kept padded, in place of the rows; of each score its weight, and that after dropout.
      const double length = block.place == AttnPlace::decoder_self ? shape_.target_length : shape_.source_length;
      const double scores = queries * heads * length * element_;
      held.kept += scores * (block.weights_dropped ? 2 : 1);
      held.work += (projected + queries * values) * element_ + 3 * scores;
    }
    return held;
  }

  const ModelConfig& model_;
  std::vector<AttentionBlock> blocks_;
  const RunShape& shape_;
  double element_, d_model_, source_, target_;
};

}  // namespace

PassMemory pass_memory(const RunConfig& config, const RunShape& shape, const BatchRows& rows) {
  const Counter counter(config, shape, rows);
  PassMemory memory;
  double work = 0;  // of the layer that needs most
  memory.kept = counter.embedded();
  for (const Held& layer : counter.layers()) {
    if (config.train.recompute) {
      work = std::max(work, layer.all());
    } else {
      memory.kept += layer.kept;
      memory.weight_casts += layer.casts;
      work = std::max(work, layer.work);
    }
  }
  if (config.train.recompute) memory.kept += counter.stream();
  memory.fullest = counter.loss_gradients() + std::max(counter.loss_work(), work);
  return memory;
}

}  // namespace mha
