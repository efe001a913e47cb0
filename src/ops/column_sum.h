#pragma once

#include <ATen/core/Tensor.h>

namespace mha {

/// The sum over the rows of a [rows, width] CPU tensor, in fp32 (double for double), in an order that does not depend
/// on the number of threads.
at::Tensor column_sum(const at::Tensor& rows);

}  // namespace mha
