#include "ops/tensor_memory.h"

#include <c10/core/CPUAllocator.h>

#include <atomic>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace mha {
namespace {

std::atomic<std::int64_t> held{0}, peak{0};

std::int64_t block_bytes(void* block) {
#if defined(__GLIBC__)
  return static_cast<std::int64_t>(malloc_usable_size(block));
#else
  static_cast<void>(block);
  return 0;
#endif
}

/// LibTorch's own allocator with a count beside it.
class CountingAllocator : public c10::Allocator {
 public:
  explicit CountingAllocator(c10::Allocator& inner) : inner_(inner) { free_ = inner.raw_deleter(); }

  c10::DataPtr allocate(std::size_t bytes) override {
    void* block = inner_.raw_allocate(bytes);
    const std::int64_t now = held.fetch_add(block_bytes(block), std::memory_order_relaxed) + block_bytes(block);
    std::int64_t most = peak.load(std::memory_order_relaxed);
    while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
    }
    return {block, block, &release, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }

 private:
  static void release(void* block) {
    held.fetch_sub(block_bytes(block), std::memory_order_relaxed);
    free_(block);
  }
  static inline c10::DeleterFnPtr free_ = nullptr;
  c10::Allocator& inner_;
};

}  // namespace

void count_tensor_bytes() {
  static CountingAllocator counting(*c10::GetDefaultCPUAllocator());
  c10::SetCPUAllocator(&counting, 1);
}

std::int64_t peak_tensor_bytes() { return peak.load(); }

}  // namespace mha
