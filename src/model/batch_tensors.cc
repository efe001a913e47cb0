#include "model/batch_tensors.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <vector>

namespace mha {
namespace {

/// `values`, then `filler` up to `size` of them.
at::Tensor as_int64(std::span<const std::int32_t> values, std::int64_t size, std::int64_t filler) {
  at::Tensor out = at::empty({size}, at::kLong);
  auto* at = out.data_ptr<std::int64_t>();
  std::fill(std::copy(values.begin(), values.end(), at), at + size, filler);
  return out;
}

std::int64_t round_up(std::int64_t rows, std::int64_t multiple) { return (rows + multiple - 1) / multiple * multiple; }

PackedIds rounded_ids(const TokenRows& rows, at::Device device, std::int64_t round_rows) {
  std::vector<std::int64_t> offsets(rows.offsets.begin(), rows.offsets.end());
  const std::int64_t real = offsets.back(), size = round_up(real, round_rows);
  if (round_rows > 1) offsets.push_back(size);  // on both sides, so that sequences still pair up
  at::Tensor positions = at::zeros({size}, at::kLong);
  auto* at = positions.data_ptr<std::int64_t>();
  for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i) {
    for (std::int64_t t = 0; t < rows.offsets[i + 1] - rows.offsets[i]; ++t) *at++ = t;
  }
  return {as_int64(rows.tokens, size, 0).to(device), positions.to(device), SeqLayout(offsets)};
}

}  // namespace

PackedIds packed_ids(const TokenRows& rows, at::Device device) { return rounded_ids(rows, device, 1); }

BatchTensors batch_tensors(const TokenRows& source, const TokenRows& target_in,
                           std::span<const std::int32_t> target_out, at::Device device, std::int64_t round_rows) {
  const std::int64_t rows = round_up(static_cast<std::int64_t>(target_out.size()), round_rows);
  return {rounded_ids(source, device, round_rows), rounded_ids(target_in, device, round_rows),
          as_int64(target_out, rows, -1).to(device)};
}

}  // namespace mha
