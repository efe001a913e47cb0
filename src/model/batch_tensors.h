#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "ops/packing.h"

namespace mha {

/// Token ids of sequences one after another; sequence i is tokens[offsets[i] .. offsets[i + 1]).
struct TokenRows {
  std::span<const std::int32_t> tokens;
  std::span<const std::int64_t> offsets;
};

/// The same as tensors: tokens and their positions inside their sequence, int64 [total].
struct PackedIds {
  at::Tensor tokens, positions;
  SeqLayout layout;
  std::int64_t first_row = 0;  // rows of the whole batch that come before these, where this is a part of it
};
PackedIds packed_ids(const TokenRows& rows, at::Device device);

/// With `round_rows` above 1 a last sequence of filler rows (token 0 at position 0) brings the rows of each side up to
/// a multiple of it: matrix products of a size that was met before need no new kernel. No other row sees the filler,
/// and as its target is -1 (see projected_cross_entropy) it neither counts nor gets a gradient.
inline constexpr std::int64_t kTrainingRows = 64;

/// Pairs as the model reads them: what the decoder reads (BOS first) and what it is to say (EOS last) have equal
/// offsets.
struct BatchTensors {
  PackedIds source, target;
  at::Tensor target_out;  // int64 [target rows]; -1 for filler
};
BatchTensors batch_tensors(const TokenRows& source, const TokenRows& target_in,
                           std::span<const std::int32_t> target_out, at::Device device, std::int64_t round_rows = 1);

}  // namespace mha
