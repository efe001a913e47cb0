#pragma once

#include "app/environment.h"
#include "config/config.h"
#include "cost/duration.h"
#include "cost/run_shape.h"

namespace mha {

/// How fast this machine trains such a model: a model of this configuration is built and trains a few updates on random
/// sentences of the shape's lengths, one update to warm up and then others for about `seconds` (one at least). Batches
/// are smaller than the run's where those are large, which is a little slower by the token. CPU only: UserError.
TrainingRate measure_training_rate(const RunConfig& config, const RunShape& shape, const Environment& environment,
                                   double seconds = 2);

/// Whether a model of this shape may be built here to be measured: it is expected to leave half of the free memory.
bool fits_to_be_measured(const RunConfig& config, const RunShape& shape);

}  // namespace mha
