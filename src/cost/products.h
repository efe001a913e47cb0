#pragma once

#include "config/config.h"
#include "cost/run_shape.h"

namespace mha {

/// Multiply-adds of one part of the model for each source and each target token.
struct TokenProducts {
  double per_source_token = 0, per_target_token = 0;

  template <class V>
  static void fields(V& v) {
    v(&TokenProducts::per_source_token, "per_source_token");
    v(&TokenProducts::per_target_token, "per_target_token");
  }
  double of(double source_tokens, double target_tokens) const {
    return per_source_token * source_tokens + per_target_token * target_tokens;
  }
  TokenProducts& operator+=(const TokenProducts& more);
};

/// Multiply-adds of matrix products in one forward pass. Projections, feed-forward and output are products with weights
/// and cost every token the same. Scores are the products that no weight takes part in, queries with keys and attention
/// weights with values: they grow with the length. Nothing else is counted: embeddings are looked up, and what norms,
/// softmax, activations and sums do is small beside products.
struct ProductCount {
  TokenProducts encoder_self_projections, encoder_self_scores, decoder_self_projections, decoder_self_scores,
      cross_projections, cross_scores, encoder_feed_forward, decoder_feed_forward, output;

  template <class V>
  static void fields(V& v) {
    using T = ProductCount;
    v(&T::encoder_self_projections, "encoder_self_projections");
    v(&T::encoder_self_scores, "encoder_self_scores");
    v(&T::decoder_self_projections, "decoder_self_projections");
    v(&T::decoder_self_scores, "decoder_self_scores");
    v(&T::cross_projections, "cross_projections");
    v(&T::cross_scores, "cross_scores");
    v(&T::encoder_feed_forward, "encoder_feed_forward");
    v(&T::decoder_feed_forward, "decoder_feed_forward");
    v(&T::output, "output");
  }
  TokenProducts with_weights() const;
  TokenProducts scores() const;
  TokenProducts attention() const;  // projections and scores
  TokenProducts feed_forward() const;
  TokenProducts total() const;
};

/// Of training: every sequence is seen at once and has the mean length. All scores of a causal place are counted, as
/// both paths make them (the packed one leaves out what is beyond a block of 48 queries). A training step needs three
/// times as many: forward, gradient of the input, gradient of the weight; what train.recompute repeats is not among
/// them.
ProductCount training_products(const RunConfig& config, const RunShape& shape);

/// Of greedy decoding with caches: the encoder and the keys and values of its output once, then token after token, each
/// looking back at those that are there.
ProductCount decoding_products(const RunConfig& config, const RunShape& shape);

/// The source tokens' share laid on the target tokens, in the ratio of the mean lengths.
double per_target_token(const TokenProducts& products, const RunShape& shape);

/// Floating-point operations (a multiply-add is two) for each target token, the source side laid on it: of a training
/// step, and of greedy decoding.
double train_flops_per_token(const RunConfig& config, const RunShape& shape);
double decode_flops_per_token(const RunConfig& config, const RunShape& shape);

}  // namespace mha
