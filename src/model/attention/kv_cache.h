#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mha {

/// Keys and values of what a decoder has read so far: [rows, heads, length, d_k] and [rows, heads, length, d_v].
/// Buffers grow by doubling; appending writes in place.
class KvCache {
 public:
  /// k [rows, heads, new, d_k], v [rows, heads, new, d_v]: the next positions.
  void append(const at::Tensor& k, const at::Tensor& v);
  /// Row i becomes a copy of row rows[i]; int64 [new rows].
  void select(const at::Tensor& rows);
  std::int64_t length() const { return length_; }
  at::Tensor keys() const { return k_.narrow(2, 0, length_); }
  at::Tensor values() const { return v_.narrow(2, 0, length_); }

 private:
  at::Tensor k_, v_;
  std::int64_t length_ = 0;
};

}  // namespace mha
