#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace mha {

/// A differentiable function of some tensors (and of parameters that it knows of itself). It is called twice, so it
/// must give the same result again: a dropout mask must follow from a key.
using TensorFunction = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)>;

/// f(inputs), of which only the inputs are kept for the backward pass: what lies between is made again there (Chen et
/// al., 2016). Without gradients, or if no input wants one, the same as f(inputs).
std::vector<at::Tensor> recomputed(const TensorFunction& f, const std::vector<at::Tensor>& inputs);

}  // namespace mha
