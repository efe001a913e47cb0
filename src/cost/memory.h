#pragma once

#include <cstdint>

#include "config/config.h"
#include "cost/run_shape.h"

namespace mha {

/// Expected peak of a training's resident memory, by part, in bytes.
struct MemoryBill {
  std::int64_t weights = 0, gradients = 0, optimizer = 0, activations = 0, weight_casts = 0, loss_and_work = 0,
               allocator = 0, program = 0;

  template <class V>
  static void fields(V& v) {
    using T = MemoryBill;
    v(&T::weights, "weights");
    v(&T::gradients, "gradients");
    v(&T::optimizer, "optimizer");
    v(&T::activations, "activations");
    v(&T::weight_casts, "weight_casts");
    v(&T::loss_and_work, "loss_and_work");
    v(&T::allocator, "allocator");
    v(&T::program, "program");
  }
};
std::int64_t total(const MemoryBill& bill);

MemoryBill expected_memory(const RunConfig& config, const RunShape& shape);

}  // namespace mha
