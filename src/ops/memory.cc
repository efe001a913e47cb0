#include "ops/memory.h"

#include <ATen/Parallel.h>

#include <cstdlib>
#include <limits>

#include "base/denormals.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace mha {

void keep_freed_pages() {
#if defined(__GLIBC__)
  // 32 MB is the most that glibc takes, and any one of these settings ends its own adaptation, so all are needed.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
  // The arenas of further threads are heaps of 64 MB that are unmapped when empty: share the main one.
  mallopt(M_ARENA_MAX, 1);
#endif
}

void bound_product_caches() {
  // The cache of oneDNN and that of LibTorch's layer above it; both take their bound when first used. Of the 300 or so
  // shapes of a run on packed batches this many are in use at a time: measured no slower.
  for (const char* name : {"ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"}) setenv(name, "100", 0);
}

void start_threads(int threads) {
  at::set_num_threads(threads);
  flush_denormals();
  // One piece for each thread: the pool starts here.
  at::parallel_for(0, threads, 1, [](std::int64_t, std::int64_t) { flush_denormals(); });
}

}  // namespace mha
