#pragma once

#include <cstdint>

#include "config/config.h"

namespace mha {

/// What a bill needs besides the configuration: what the data and the machine decide.
struct RunShape {
  std::int64_t source_vocab = 0, target_vocab = 0;
  double source_length = 25, target_length = 25;  // mean tokens of a sentence, EOS counted
  bool bf16 = false;                              // of activations and products in training
  int threads = 1;
  std::int64_t pairs = 0;       // to train on; 0: not known
  double evaluated_tokens = 0;  // source tokens of the larger of validation and test split; 0: not known, many
};

/// For planning, before there are data: vocab.size on both sides, the default lengths, precision and threads as the
/// configuration names them; where it leaves them to the machine, fp32 and one thread.
RunShape planned_shape(const RunConfig& config);

}  // namespace mha
