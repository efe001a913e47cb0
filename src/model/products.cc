#include "model/products.h"

#include <string>

namespace mha {

WeightProducts weight_products(const Transformer& model) {
  WeightProducts products;
  for (const auto& [name, value] : model.parameters().all()) {
    if (value.dim() != 2 || name.find(".layers.") == std::string::npos) continue;
    const auto size = static_cast<double>(value.numel());
    // The decoder makes keys and values of the encoder's output: once for each source token.
    const bool of_memory = name.ends_with("cross_attn.w_k") || name.ends_with("cross_attn.w_v");
    (name.starts_with("encoder.") || of_memory ? products.per_source_token : products.per_target_token) += size;
  }
  products.per_target_token += static_cast<double>(model.spec().target_vocab * model.spec().model.d_model);  // output
  return products;
}

}  // namespace mha
