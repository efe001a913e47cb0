#pragma once

#include <optional>

#include "config/config.h"

namespace mha {

/// The same model with one head of width h * d_k (and h * d_v) at every attention place instead of h: what the textbook
/// says costs as much. Nothing if every place has one head already, or if a head would be wider than d_k may be.
std::optional<RunConfig> with_one_head(const RunConfig& config);

}  // namespace mha
