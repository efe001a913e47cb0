#pragma once

#include "config/config.h"
#include "cost/run_shape.h"

namespace mha {

/// Tokens of a full batch, and of the parts that threads train on side by side (see BatchRunner).
struct BatchRows {
  double source = 0, target = 0;
  int parts = 1;

  double part_source() const { return source / parts; }
  double part_target() const { return target / parts; }
};

/// data.max_tokens bounds the longer side, the other is as much smaller as its mean length is; data.max_sentences
/// bounds both.
BatchRows full_batch(const RunConfig& config, const RunShape& shape);

}  // namespace mha
