#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "ops/arena.h"

namespace mha {

/// Memory that starts at a cache line, so that no vector load crosses two; large blocks from the arena.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  LineAllocator() = default;
  template <class U>
  explicit LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* block = bytes < kLargeBlock ? ::operator new(bytes, kLine) : large_blocks().allocate(bytes);
    return block != nullptr ? static_cast<T*>(block) : throw std::bad_alloc();
  }
  void deallocate(T* data, std::size_t count) {
    if (count * sizeof(T) < kLargeBlock) {
      ::operator delete(data, kLine);
    } else {
      large_blocks().release(data);
    }
  }
  bool operator==(const LineAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

/// Makes a buffer that is used again and again at least this large; what was in it is lost.
template <class T>
T* at_least_size(AlignedVector<T>& buffer, std::int64_t count) {
  const auto size = static_cast<std::size_t>(count);
  if (buffer.size() < size) {
    buffer.clear();
    buffer.resize(size + size / 4);
  }
  return buffer.data();
}

}  // namespace mha
