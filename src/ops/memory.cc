#include "ops/memory.h"

#include <ATen/Parallel.h>

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

void start_threads(int threads) {
  at::set_num_threads(threads);
  flush_denormals();
  // One piece for each thread: the pool starts here.
  at::parallel_for(0, threads, 1, [](std::int64_t, std::int64_t) { flush_denormals(); });
}

}  // namespace mha
