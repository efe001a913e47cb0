#include "cost/run_shape.h"

#include <algorithm>

namespace mha {

RunShape planned_shape(const RunConfig& config) {
  RunShape shape;
  shape.source_vocab = shape.target_vocab = config.vocab.size;
  shape.bf16 = config.train.precision == Precision::bf16;
  shape.threads = static_cast<int>(std::max<std::int64_t>(config.threads, 1));
  return shape;
}

}  // namespace mha
