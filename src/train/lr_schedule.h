#pragma once

#include <cstdint>
#include <optional>

#include "config/train_config.h"

namespace mha {

/// The learning rate of update number `update` (from 1). `max_update` is needed by `cosine` and the cool-down.
double learning_rate(const OptimizerConfig& config, std::int64_t update, std::int64_t d_model,
                     std::optional<std::int64_t> max_update);

}  // namespace mha
