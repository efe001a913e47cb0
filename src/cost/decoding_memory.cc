#include "cost/decoding_memory.h"

#include <algorithm>

#include "cost/attention_blocks.h"
#include "cost/parameters.h"

namespace mha {
namespace {

constexpr double kFloat = 4;
constexpr double kBatchesPerWorker = 8;  // as in decode/translator.cc
/// Buffers only grow, one for each position: batches of short sentences make the first ones large, batches of long
/// sentences those behind.
constexpr double kGrownBuffers = 2;

double weight_bytes(DecodePrecision precision) {
  return precision == DecodePrecision::fp32 ? kFloat : precision == DecodePrecision::bf16 ? 2 : 1;
}

/// Source tokens of a batch.
double batch_tokens(const RunConfig& config, const RunShape& shape, double beam) {
  double tokens = static_cast<double>(config.decode.max_tokens) / beam;
  if (shape.evaluated_tokens > 0) {
    tokens = std::min(tokens, shape.evaluated_tokens / (shape.threads > 1 ? shape.threads * kBatchesPerWorker : 1));
  }
  return tokens;
}

/// What one thread keeps: keys and values of what it has read and written, and the rows of one layer.
double session_bytes(const RunConfig& config, const RunShape& shape, double beam) {
  const double source = batch_tokens(config, shape, beam);
  const double target = source / shape.source_length * shape.target_length * beam * kGrownBuffers;
  double numbers = 0, widest = 0;
  for (const AttentionBlock& block : attention_blocks(config)) {
    const double both = block.key_width() + block.value_width();
    if (block.place == AttnPlace::encoder_self)
      widest = std::max(widest, both + block.key_width() + block.value_width());
    if (block.place == AttnPlace::decoder_self) numbers += target * both;
    if (block.place == AttnPlace::cross) numbers += source * both;
  }
  const auto d_model = static_cast<double>(config.model.d_model), d_ff = static_cast<double>(config.model.d_ff);
  const double inner = d_ff * (config.model.activation == Activation::swiglu ? 2 : 1);
  return kFloat * (numbers + source * (widest + 3 * d_model + inner));
}

}  // namespace

DecodingMemory decoding_memory(const RunConfig& config, const RunShape& shape) {
  const bool greedy = config.data.valid.given() && config.train.validation_bleu == ValidationBleu::greedy;
  const bool beam =
      config.data.test.given() || (config.data.valid.given() && config.train.validation_bleu == ValidationBleu::beam);
  if (!greedy && !beam) return {};
  const ParameterCount count = count_parameters(config, shape);
  const auto d_model = static_cast<double>(config.model.d_model);
  const double tables =
      d_model * static_cast<double>(shape.source_vocab + shape.target_vocab + 2 * config.model.max_positions);
  const double products = static_cast<double>(total(count) - count.embeddings - count.positions - count.output) +
                          d_model * static_cast<double>(shape.target_vocab);
  double session = 0;
  if (greedy) session = session_bytes(config, shape, 1);
  if (beam) session = std::max(session, session_bytes(config, shape, static_cast<double>(config.decode.beam)));
  return {.tables = kFloat * tables,
          .buffers = weight_bytes(config.decode.precision) * products + session * shape.threads};
}

}  // namespace mha
