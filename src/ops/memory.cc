#include "ops/memory.h"

#include <ATen/Parallel.h>

#include <cstdint>
#include <limits>

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace mha {

namespace {
/// Denormal results and operands become zero: bits 15 (flush to zero) and 6 (denormals are zero) of MXCSR, bit 24 of
/// FPCR.
void flush_denormals() {
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040U);
#elif defined(__aarch64__)
  std::uint64_t fpcr = 0;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  asm volatile("msr fpcr, %0" : : "r"(fpcr | (1ULL << 24U)));
#endif
}
}  // namespace

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
