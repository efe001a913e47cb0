#include "model/batch_tensors.h"

#include <ATen/Functions.h>

#include <algorithm>

namespace mha {
namespace {

at::Tensor as_int64(const std::vector<TokenId>& values) {
  at::Tensor out = at::empty({static_cast<std::int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), out.data_ptr<std::int64_t>());
  return out;
}

}  // namespace

PackedIds packed_ids(const PackedTokens& packed, at::Device device) {
  at::Tensor positions = at::empty({packed.total()}, at::kLong);
  auto* at = positions.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < packed.count(); ++i) {
    for (std::int64_t t = 0; t < packed.length(i); ++t) *at++ = t;
  }
  return {as_int64(packed.tokens).to(device), positions.to(device), SeqLayout(packed.offsets)};
}

BatchTensors batch_tensors(const Batch& batch, at::Device device) {
  return {packed_ids(batch.source, device), packed_ids(batch.target_in, device), as_int64(batch.target_out).to(device)};
}

}  // namespace mha
