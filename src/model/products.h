#pragma once

#include "model/transformer.h"

namespace mha {

/// Multiply-adds of the products with weight matrices in one forward pass, for each source and each target token. A
/// training step needs three times as many (forward, gradient of the input, gradient of the weight). Products of
/// queries, keys and values with each other are not counted: they grow with the lengths.
struct WeightProducts {
  double per_source_token = 0, per_target_token = 0;

  double forward(double source_tokens, double target_tokens) const {
    return per_source_token * source_tokens + per_target_token * target_tokens;
  }
};
WeightProducts weight_products(const Transformer& model);

}  // namespace mha
