#pragma once

#include <cstdint>

#include "config/config.h"
#include "cost/run_shape.h"

namespace mha {

/// Expected peak of a training's resident memory, by part, in bytes. The making of vocabularies, which happens once and
/// in proportion to the text, is not in it.
struct MemoryBill {
  std::int64_t weights = 0, gradients = 0, optimizer = 0;  // a set of gradients for each part of a batch
  std::int64_t activations = 0;                            // kept for the backward pass
  std::int64_t weight_casts = 0;                           // weights as the products read them
  std::int64_t loss_and_work = 0;                          // gradients of the loss, the work of one layer
  std::int64_t start = 0;     // what building the parts' models takes, where that is more than the passes
  std::int64_t decoding = 0;  // as far as it is more than what the passes have freed
  std::int64_t allocator = 0, program = 0;

  template <class V>
  static void fields(V& v) {
    using T = MemoryBill;
    v(&T::weights, "weights");
    v(&T::gradients, "gradients");
    v(&T::optimizer, "optimizer");
    v(&T::activations, "activations");
    v(&T::weight_casts, "weight_casts");
    v(&T::loss_and_work, "loss_and_work");
    v(&T::start, "start");
    v(&T::decoding, "decoding");
    v(&T::allocator, "allocator");
    v(&T::program, "program");
  }
};
std::int64_t total(const MemoryBill& bill);

MemoryBill expected_memory(const RunConfig& config, const RunShape& shape);

}  // namespace mha
