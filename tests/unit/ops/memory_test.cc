#include "ops/memory.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace mha {
namespace {

/// Half of the smallest normal number, computed at run time.
float denormal() {
  volatile float smallest = std::numeric_limits<float>::min(), half = 0.5F;
  return smallest * half;
}

TEST(StartThreads, FlushesDenormalsInEveryThreadOfThePool) {
#if defined(__x86_64__) || defined(__aarch64__)
  ASSERT_GT(denormal(), 0.0F);
  start_threads(2);
  EXPECT_EQ(at::get_num_threads(), 2);
  std::atomic<int> pieces = 0, flushed = 0;
  at::parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) {
    ++pieces;
    flushed += denormal() == 0.0F;
  });
  EXPECT_EQ(pieces, 2);
  EXPECT_EQ(flushed, 2);
#else
  GTEST_SKIP() << "no known way to flush denormals on this processor";
#endif
}

TEST(BoundProductCaches, ABoundOfTheUserStays) {
  unsetenv("LRU_CACHE_CAPACITY");
  setenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "7", 1);
  bound_product_caches();
  EXPECT_STREQ(std::getenv("LRU_CACHE_CAPACITY"), "100");
  EXPECT_STREQ(std::getenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY"), "7");
}

TEST(KeepFreedPages, AFreedBlockIsUsedAgainWithoutPageFaults) {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
  keep_freed_pages();
  constexpr std::size_t kSize = 24 << 20;
  const auto faults = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  const auto touch = [] {
    void* block = std::malloc(kSize);
    std::memset(block, 1, kSize);
    // Without this the compiler may see that nobody reads the block.
    asm volatile("" : : "r"(block) : "memory");
    std::free(block);
  };
  touch();
  const long before = faults();
  for (int i = 0; i < 5; ++i) touch();
  EXPECT_LT(faults() - before, 1000) << "of 6,144 pages a time";
#else
  GTEST_SKIP() << "another allocator";
#endif
}

}  // namespace
}  // namespace mha
