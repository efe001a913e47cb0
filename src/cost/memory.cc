#include "cost/memory.h"

#include <cmath>

#include "cost/activations.h"
#include "cost/batch_rows.h"
#include "cost/memory_constants.h"
#include "cost/parameters.h"

namespace mha {
namespace {

std::int64_t bytes(double value) { return std::llround(value); }

}  // namespace

std::int64_t total(const MemoryBill& bill) {
  return bill.weights + bill.gradients + bill.optimizer + bill.activations + bill.weight_casts + bill.loss_and_work +
         bill.allocator + bill.program;
}

MemoryBill expected_memory(const RunConfig& config, const RunShape& shape) {
  const BatchRows rows = full_batch(config, shape);
  const PassMemory pass = pass_memory(config, shape, rows);
  const double all = 4.0 * static_cast<double>(parameter_count(config, shape));
  MemoryBill bill;
  bill.weights = bytes(all);
  bill.gradients = bytes(all * rows.parts);
  bill.optimizer = bytes(2 * all);
  bill.activations = bytes(pass.kept * rows.parts);
  bill.weight_casts = bytes(pass.weight_casts * rows.parts);
  bill.loss_and_work = bytes(pass.fullest * rows.parts);
  bill.allocator = 0;
  bill.program = bytes(kProgramBytes);
  return bill;
}

}  // namespace mha
