#include "cost/memory.h"

#include <algorithm>
#include <cmath>

#include "cost/activations.h"
#include "cost/batch_rows.h"
#include "cost/decoding_memory.h"
#include "cost/memory_constants.h"
#include "cost/parameters.h"

namespace mha {

std::int64_t total(const MemoryBill& bill) {
  std::int64_t sum = 0;
  auto visit = [&](auto member, const char*) { sum += bill.*member; };
  MemoryBill::fields(visit);
  return sum;
}

MemoryBill expected_memory(const RunConfig& config, const RunShape& shape) {
  const BatchRows rows = full_batch(config, shape);
  const PassMemory pass = pass_memory(config, shape, rows);
  const double parameters = 4.0 * static_cast<double>(parameter_count(config, shape));
  const double passes = (pass.kept + pass.weight_casts + pass.fullest) * rows.parts;
  // A further part's model is built with weights of its own before it shares those of the first.
  const double start = rows.parts > 1 ? std::max(0.0, 2 * parameters - passes) : 0;
  const DecodingMemory decoding = decoding_memory(config, shape);
  const double more_for_decoding = std::max(0.0, decoding.buffers - passes - start);
  const double tensors = parameters * (3 + rows.parts) + passes + start + more_for_decoding;
  MemoryBill bill;
  bill.weights = std::llround(parameters);
  bill.gradients = std::llround(parameters * rows.parts);
  bill.optimizer = std::llround(2 * parameters);
  bill.activations = std::llround(pass.kept * rows.parts);
  bill.weight_casts = std::llround(pass.weight_casts * rows.parts);
  bill.loss_and_work = std::llround(pass.fullest * rows.parts);
  bill.start = std::llround(start);
  bill.decoding = std::llround(decoding.tables + more_for_decoding);
  bill.allocator = std::llround(kUnusedShare * tensors);
  const double kernels =
      shape.bf16 ? kKernelBytes * std::min(1.0, std::max(rows.source, rows.target) / kKernelRows) : 0;
  bill.program = std::llround(kProgramBytes + kernels);
  return bill;
}

}  // namespace mha
