#include "ops/columns.h"

#include <ATen/ops/as_strided.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

namespace mha {

namespace {

/// Whether each part begins where the one before it ends, in every row of the same buffer.
bool side_by_side(at::TensorList parts) {
  const at::Tensor& first = parts.front();
  std::int64_t next = first.storage_offset(), width = 0;
  for (const at::Tensor& part : parts) {
    if (part.dim() != 2 || !part.is_alias_of(first) || part.storage_offset() != next || part.stride(1) != 1 ||
        part.stride(0) != first.stride(0) || part.size(0) != first.size(0)) {
      return false;
    }
    next += part.size(1);
    width += part.size(1);
  }
  return first.stride(0) >= width;
}

std::int64_t total_width(at::TensorList parts) {
  std::int64_t width = 0;
  for (const at::Tensor& part : parts) width += part.size(1);
  return width;
}

}  // namespace

at::Tensor join_columns(at::TensorList parts) {
  const at::Tensor& first = parts.front();
  if (parts.size() == 1) return first;
  if (!side_by_side(parts)) return at::cat(parts, 1);
  return at::as_strided(first, {first.size(0), total_width(parts)}, {first.stride(0), 1}, first.storage_offset());
}

std::vector<at::Tensor> empty_columns_like(at::TensorList parts) {
  std::vector<at::Tensor> out;
  if (!side_by_side(parts)) {
    for (const at::Tensor& part : parts) out.push_back(at::empty(part.sizes(), part.options()));
    return out;
  }
  const at::Tensor joint = at::empty({parts.front().size(0), total_width(parts)}, parts.front().options());
  std::int64_t begin = 0;
  for (const at::Tensor& part : parts) {
    out.push_back(joint.narrow(1, begin, part.size(1)));
    begin += part.size(1);
  }
  return out;
}

}  // namespace mha
