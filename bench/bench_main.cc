#include "bench_main.h"

#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ops/memory.h"
#include "ops/tensor_memory.h"

int main(int argc, char** argv) {
  constexpr std::string_view option = "--threads=";
  benchmark::Initialize(&argc, argv);
  int threads = at::get_num_threads();
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    threads = argument.starts_with(option) ? std::atoi(argument.c_str() + option.size()) : 0;
    if (threads < 1) {
      std::fprintf(stderr, "%s is not an option; there are --threads=N and those of --help\n", argument.c_str());
      return 2;
    }
  }
  mha::keep_freed_pages();
  mha::use_tensor_arena();
  mha::bound_product_caches();
  mha::start_threads(threads);
  mha::register_benchmarks(threads);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
