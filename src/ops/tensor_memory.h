#pragma once

#include <cstdint>

namespace mha {

/// From now on counts the bytes that LibTorch's CPU tensors hold. Call once, before the first tensor.
void count_tensor_bytes();

/// Most bytes held at once by CPU tensors since count_tensor_bytes(), as the C allocator rounds them; 0 if that was
/// never called.
std::int64_t peak_tensor_bytes();

}  // namespace mha
