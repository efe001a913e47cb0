#pragma once

#include "config/config.h"
#include "sweep/points.h"

namespace mha {

/// An axis on a key of `attention`, as h and d_k are, means every attention place. UserError naming the key if the base
/// configuration sets it for a place or layer by itself, where the axis would not reach, unless the point sets that
/// too.
void check_every_place(const Point& point, const LoadedConfig& base);

}  // namespace mha
