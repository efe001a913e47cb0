#pragma once

#include <cstdint>

namespace mha {

/// From now on LibTorch's CPU tensors of 64 KiB and more come from an arena (see there), and the bytes that CPU tensors
/// hold are counted. Call once, before the first tensor.
void use_tensor_arena();

/// Most bytes held at once by CPU tensors since use_tensor_arena(), as the allocators round them; 0 if that was never
/// called.
std::int64_t peak_tensor_bytes();

}  // namespace mha
