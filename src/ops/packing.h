#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mha {

/// Where the sequences of a packed batch lie: sequence i is rows offsets[i] .. offsets[i + 1) of a [total, width]
/// tensor. Immutable, cheap to copy.
class SeqLayout {
 public:
  explicit SeqLayout(std::span<const std::int64_t> offsets);
  std::int64_t count() const { return static_cast<std::int64_t>(offsets_->size()) - 1; }
  std::int64_t total() const { return offsets_->back(); }
  std::int64_t max_length() const { return max_length_; }
  std::int64_t start(std::int64_t i) const { return (*offsets_)[static_cast<std::size_t>(i)]; }
  std::int64_t length(std::int64_t i) const { return start(i + 1) - start(i); }
  const std::vector<std::int64_t>& offsets() const { return *offsets_; }

 private:
  std::shared_ptr<const std::vector<std::int64_t>> offsets_;
  std::int64_t max_length_ = 0;
};

/// [total, width] -> [count, max_length, width]; the rows behind a sequence's end are zero. Differentiable.
at::Tensor pad_packed(const at::Tensor& packed, const SeqLayout& layout);
/// The inverse: [count, max_length, width] -> [total, width]. Differentiable; padding gets zero gradient.
at::Tensor unpad(const at::Tensor& padded, const SeqLayout& layout);

}  // namespace mha
