#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace mha {

/// Matrices [rows, width_i] as one [rows, sum of widths]: a view where they already lie side by side in one buffer,
/// else a copy.
at::Tensor join_columns(at::TensorList parts);

/// Uninitialised matrices like `parts`, side by side in one buffer where those are, so that join_columns of them is
/// free.
std::vector<at::Tensor> empty_columns_like(at::TensorList parts);

}  // namespace mha
