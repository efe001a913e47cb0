#include "ops/packing.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstring>

namespace mha {

SeqLayout::SeqLayout(std::span<const std::int64_t> offsets) {
  TORCH_CHECK(!offsets.empty() && offsets.front() == 0, "a packed layout's offsets start with 0");
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    TORCH_CHECK(offsets[i] >= offsets[i - 1], "a packed layout's offsets must not fall");
    max_length_ = std::max(max_length_, offsets[i] - offsets[i - 1]);
  }
  offsets_ = std::make_shared<const std::vector<std::int64_t>>(offsets.begin(), offsets.end());
}

namespace {

/// Calls copy(sequence) for every sequence; threads take at least 16 sequences at a time.
template <class F>
void for_sequences(const SeqLayout& layout, F&& copy) {
  at::parallel_for(0, layout.count(), 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) copy(i);
  });
}

at::Tensor pad_rows(const at::Tensor& packed, const SeqLayout& layout) {
  const std::int64_t width = packed.size(1), longest = layout.max_length();
  if (!packed.is_cpu()) {
    at::Tensor padded = at::zeros({layout.count(), longest, width}, packed.options());
    for (std::int64_t i = 0; i < layout.count(); ++i) {
      padded[i].narrow(0, 0, layout.length(i)).copy_(packed.narrow(0, layout.start(i), layout.length(i)));
    }
    return padded;
  }
  at::Tensor padded = at::empty({layout.count(), longest, width}, packed.options());
  const at::Tensor rows = packed.contiguous();
  const auto row = static_cast<std::size_t>(width) * packed.element_size();
  const auto* from = static_cast<const char*>(rows.const_data_ptr());
  auto* to = static_cast<char*>(padded.mutable_data_ptr());
  for_sequences(layout, [&](std::int64_t i) {
    char* out = to + static_cast<std::size_t>(i * longest) * row;
    const auto size = static_cast<std::size_t>(layout.length(i)) * row;
    std::memcpy(out, from + static_cast<std::size_t>(layout.start(i)) * row, size);
    std::memset(out + size, 0, static_cast<std::size_t>(longest) * row - size);
  });
  return padded;
}

at::Tensor unpad_rows(const at::Tensor& padded, const SeqLayout& layout) {
  const std::int64_t width = padded.size(2), longest = layout.max_length();
  at::Tensor packed = at::empty({layout.total(), width}, padded.options());
  if (!padded.is_cpu()) {
    for (std::int64_t i = 0; i < layout.count(); ++i) {
      packed.narrow(0, layout.start(i), layout.length(i)).copy_(padded[i].narrow(0, 0, layout.length(i)));
    }
    return packed;
  }
  const at::Tensor rows = padded.contiguous();
  const auto row = static_cast<std::size_t>(width) * padded.element_size();
  const auto* from = static_cast<const char*>(rows.const_data_ptr());
  auto* to = static_cast<char*>(packed.mutable_data_ptr());
  for_sequences(layout, [&](std::int64_t i) {
    std::memcpy(to + static_cast<std::size_t>(layout.start(i)) * row,
                from + static_cast<std::size_t>(i * longest) * row, static_cast<std::size_t>(layout.length(i)) * row);
  });
  return packed;
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct PadPacked : torch::autograd::Function<PadPacked> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& packed, const SeqLayout& layout) {
    ctx->saved_data["offsets"] = layout.offsets();
    return pad_rows(packed, layout);
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    const SeqLayout layout(ctx->saved_data["offsets"].toIntVector());
    return {unpad_rows(gradients[0], layout), at::Tensor()};
  }
};

struct Unpad : torch::autograd::Function<Unpad> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& padded, const SeqLayout& layout) {
    ctx->saved_data["offsets"] = layout.offsets();
    return unpad_rows(padded, layout);
  }
  static variable_list backward(AutogradContext* ctx, variable_list gradients) {
    const SeqLayout layout(ctx->saved_data["offsets"].toIntVector());
    return {pad_rows(gradients[0], layout), at::Tensor()};
  }
};

}  // namespace

at::Tensor pad_packed(const at::Tensor& packed, const SeqLayout& layout) {
  TORCH_CHECK(packed.dim() == 2 && packed.size(0) == layout.total(), "packed rows do not fit their layout");
  return PadPacked::apply(packed, layout);
}

at::Tensor unpad(const at::Tensor& padded, const SeqLayout& layout) {
  TORCH_CHECK(padded.dim() == 3 && padded.size(0) == layout.count() && padded.size(1) == layout.max_length(),
              "padded rows do not fit their layout");
  return Unpad::apply(padded, layout);
}

}  // namespace mha
