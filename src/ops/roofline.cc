#include "ops/roofline.h"

#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>

#include <algorithm>

#include "base/clock.h"

namespace mha {

double matrix_product_rate(at::ScalarType type) {
  constexpr std::int64_t rows = 2048, inner = 1024, columns = 1024;
  constexpr double operations = 2.0 * rows * inner * columns;
  const at::Tensor a = at::randn({rows, inner}).to(type), b = at::randn({inner, columns}).to(type);
  at::mm(a, b);  // the first one is slower: its kernel is made
  double best = 0;
  for (const Stopwatch all; all.seconds() < 0.5;) {
    const Stopwatch one;
    at::mm(a, b);
    best = std::max(best, operations / one.seconds());
  }
  return best;
}

}  // namespace mha
