#include "ops/embedding.h"

#include <ATen/TensorOperators.h>

#include "ops/dropout_mask.h"

namespace mha {

at::Tensor embed(const at::Tensor& tokens, const at::Tensor& position_ids, const at::Tensor& weight, const at::Tensor& positions,
                 const EmbedOptions& options) {
  return reference::embed(tokens, position_ids, weight, positions, options);
}

namespace reference {

at::Tensor embed(const at::Tensor& tokens, const at::Tensor& position_ids, const at::Tensor& weight, const at::Tensor& positions,
                 const EmbedOptions& options) {
  const at::Tensor sum = weight.index_select(0, tokens) * options.scale + positions.index_select(0, position_ids);
  return reference::dropout(sum, options.dropout, options.key).to(options.dtype);
}

}  // namespace reference
}  // namespace mha
