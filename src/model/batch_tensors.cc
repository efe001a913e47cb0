#include "model/batch_tensors.h"

#include <ATen/Functions.h>

#include <algorithm>

namespace mha {
namespace {

at::Tensor as_int64(std::span<const std::int32_t> values) {
  at::Tensor out = at::empty({static_cast<std::int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), out.data_ptr<std::int64_t>());
  return out;
}

}  // namespace

PackedIds packed_ids(const TokenRows& rows, at::Device device) {
  SeqLayout layout(rows.offsets);
  at::Tensor positions = at::empty({layout.total()}, at::kLong);
  auto* at = positions.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < layout.count(); ++i) {
    for (std::int64_t t = 0; t < layout.length(i); ++t) *at++ = t;
  }
  return {as_int64(rows.tokens).to(device), positions.to(device), std::move(layout)};
}

BatchTensors batch_tensors(const TokenRows& source, const TokenRows& target_in,
                           std::span<const std::int32_t> target_out, at::Device device) {
  return {packed_ids(source, device), packed_ids(target_in, device), as_int64(target_out).to(device)};
}

}  // namespace mha
