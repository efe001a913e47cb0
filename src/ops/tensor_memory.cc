#include "ops/tensor_memory.h"

#include <c10/core/CPUAllocator.h>

#include <atomic>

#include "ops/arena.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace mha {
namespace {

std::atomic<std::int64_t> held{0}, peak{0};

std::size_t malloc_bytes(void* block) {
#if defined(__GLIBC__)
  return malloc_usable_size(block);
#else
  static_cast<void>(block);
  return 0;
#endif
}

/// Large blocks from the arena, the others and what the arena cannot get from LibTorch's own allocator; with a count.
class TensorAllocator : public c10::Allocator {
 public:
  explicit TensorAllocator(c10::Allocator& inner) : inner_(inner) { free_ = inner.raw_deleter(); }

  c10::DataPtr allocate(std::size_t bytes) override {
    void* block = bytes < kLargeBlock ? nullptr : large_blocks().allocate(bytes);
    const bool is_large = block != nullptr;
    if (!is_large) block = inner_.raw_allocate(bytes);
    const auto size = static_cast<std::int64_t>(is_large ? large_blocks().size_of(block) : malloc_bytes(block));
    const std::int64_t now = held.fetch_add(size, std::memory_order_relaxed) + size;
    std::int64_t most = peak.load(std::memory_order_relaxed);
    while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
    }
    return {block, block, &release, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }

 private:
  static void release(void* block) {
    std::size_t size = large_blocks().release(block);
    if (size == 0) {
      size = malloc_bytes(block);
      free_(block);
    }
    held.fetch_sub(static_cast<std::int64_t>(size), std::memory_order_relaxed);
  }
  static inline c10::DeleterFnPtr free_ = nullptr;
  c10::Allocator& inner_;
};

}  // namespace

void use_tensor_arena() {
  static TensorAllocator allocator(*c10::GetDefaultCPUAllocator());
  c10::SetCPUAllocator(&allocator, 1);
}

std::int64_t peak_tensor_bytes() { return peak.load(); }

}  // namespace mha
