#include "cost/products.h"

#include "cost/attention_blocks.h"

namespace mha {
namespace {

TokenProducts sum(std::initializer_list<TokenProducts> parts) {
  TokenProducts sum;
  for (const TokenProducts& part : parts) sum += part;
  return sum;
}

/// `own_keys`: how many keys of its own sequence a token of the decoder sees in the mean.
ProductCount count_products(const RunConfig& config, const RunShape& shape, double own_keys) {
  const ModelConfig& model = config.model;
  const auto d_model = static_cast<double>(model.d_model), d_ff = static_cast<double>(model.d_ff);
  ProductCount count;
  for (const AttentionBlock& block : attention_blocks(config)) {
    const double keys = block.key_width(), values = block.value_width();
    const double of_queries = d_model * (keys + (block.output_projection ? values : 0));
    const double of_memory = d_model * (keys + values);
    switch (block.place) {
      case AttnPlace::encoder_self:
        count.encoder_self_projections.per_source_token += of_queries + of_memory;
        count.encoder_self_scores.per_source_token += shape.source_length * (keys + values);
        break;
      case AttnPlace::decoder_self:
        count.decoder_self_projections.per_target_token += of_queries + of_memory;
        count.decoder_self_scores.per_target_token += own_keys * (keys + values);
        break;
      case AttnPlace::cross:
        count.cross_projections += {.per_source_token = of_memory, .per_target_token = of_queries};
        count.cross_scores.per_target_token += shape.source_length * (keys + values);
        break;
    }
  }
  const double feed_forward = d_model * d_ff * (model.activation == Activation::swiglu ? 3 : 2);
  count.encoder_feed_forward.per_source_token = static_cast<double>(model.encoder_layers) * feed_forward;
  count.decoder_feed_forward.per_target_token = static_cast<double>(model.decoder_layers) * feed_forward;
  count.output.per_target_token = d_model * static_cast<double>(shape.target_vocab);
  return count;
}

}  // namespace

TokenProducts& TokenProducts::operator+=(const TokenProducts& more) {
  per_source_token += more.per_source_token;
  per_target_token += more.per_target_token;
  return *this;
}

TokenProducts ProductCount::with_weights() const {
  return sum({encoder_self_projections, decoder_self_projections, cross_projections, feed_forward(), output});
}

TokenProducts ProductCount::scores() const { return sum({encoder_self_scores, decoder_self_scores, cross_scores}); }

TokenProducts ProductCount::attention() const {
  return sum({encoder_self_projections, decoder_self_projections, cross_projections, scores()});
}

TokenProducts ProductCount::feed_forward() const { return sum({encoder_feed_forward, decoder_feed_forward}); }

TokenProducts ProductCount::total() const { return sum({with_weights(), scores()}); }

ProductCount training_products(const RunConfig& config, const RunShape& shape) {
  return count_products(config, shape, shape.target_length);
}

ProductCount decoding_products(const RunConfig& config, const RunShape& shape) {
  return count_products(config, shape, (shape.target_length + 1) / 2);
}

double per_target_token(const TokenProducts& products, const RunShape& shape) {
  return products.per_target_token + products.per_source_token * shape.source_length / shape.target_length;
}

double train_flops_per_token(const RunConfig& config, const RunShape& shape) {
  return 6 * per_target_token(training_products(config, shape).total(), shape);
}

double decode_flops_per_token(const RunConfig& config, const RunShape& shape) {
  return 2 * per_target_token(decoding_products(config, shape).total(), shape);
}

}  // namespace mha
