#include "ops/column_sum.h"

#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "ops/dispatch.h"
#include "ops/simd.h"

namespace mha {

namespace {

constexpr std::int64_t kRowBlock = 256;  // rows that share a partial sum

template <class T>
MHA_SIMD void add_rows(const T* rows, std::int64_t count, std::int64_t width, Wide<T>* __restrict sum) {
  for (std::int64_t i = 0; i < count; ++i, rows += width) {
    for (std::int64_t j = 0; j < width; ++j) sum[j] += widen(rows[j]);
  }
}

}  // namespace

at::Tensor column_sum(const at::Tensor& rows) {
  const std::int64_t count = rows.size(0), width = rows.size(1), blocks = (count + kRowBlock - 1) / kRowBlock;
  const at::Tensor in = rows.contiguous();
  at::Tensor partial = at::zeros({blocks, width}, rows.options().dtype(wide_type(rows)));
  with_float_type(rows.scalar_type(), [&]<class T>() {
    at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b) {
        add_rows(in.const_data_ptr<T>() + b * kRowBlock * width, std::min(kRowBlock, count - b * kRowBlock), width,
                 partial.mutable_data_ptr<Wide<T>>() + b * width);
      }
    });
  });
  return partial.sum(0);
}

}  // namespace mha
