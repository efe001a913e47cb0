#pragma once

#include <cstdint>
#include <limits>

#include "config/config.h"
#include "data/corpus.h"
#include "model/transformer.h"

namespace mha {

/// Where the time of some updates went. Seconds of `data`, `forward` and `backward` are those of the first part of each
/// batch (see BatchRunner), which lies beside the others.
struct StepTimes {
  std::int64_t updates = 0, source_tokens = 0, target_tokens = 0;
  double seconds = 0;  // of everything
  double data = 0, forward = 0, backward = 0;
  double waiting = 0;  // for the other parts of a batch, and handing work over
  double reduce = 0;   // adding up the parts' gradients, and the gradient's norm
  double optimizer = 0;
  double slowest_update = 0, fastest_update = 0;
};

struct StepBenchOptions {
  std::int64_t warmup = 10, updates = 50;
  double most_seconds = std::numeric_limits<double>::infinity();  // of the measured updates; one is always made
  at::ScalarType dtype = at::kFloat;
  int threads = 1;
};

/// Trains `warmup` updates and then measures up to `updates` more, as Trainer makes them but without validation, events
/// and checkpoints. The model is changed.
StepTimes bench_steps(const RunConfig& config, Transformer& model, const CorpusPtr& corpus,
                      const StepBenchOptions& options);

}  // namespace mha
