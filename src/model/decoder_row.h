#pragma once

#include <cstdint>

namespace mha {

/// A hypothesis that grows by one token: its sentence in the batch, the row of the step before that it goes on from
/// (not read at the first step), and the token that the decoder reads.
struct DecoderRow {
  std::int64_t sentence = 0, parent = 0;
  std::int32_t token = 0;
};

}  // namespace mha
