// Products with packed weights for inference: GFLOP/s of one thread by format, shape and number of rows, beside
// LibTorch's product, and what a step of decoding does besides.
#include <ATen/Parallel.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <benchmark/benchmark.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"
#include "bench_main.h"
#include "ops/inference/decoding_attention.h"
#include "ops/inference/next_tokens.h"
#include "ops/inference/packed_product.h"
#include "ops/inference/row_kernels.h"

namespace mha {
namespace {

struct Shape {
  std::int64_t in, out;
};
constexpr std::array<Shape, 4> kShapes = {{{128, 128}, {128, 256}, {256, 128}, {512, 2048}}};
constexpr std::array<std::int64_t, 3> kRows = {1, 64, 320};
constexpr Shape kVocabulary = {128, 8000};

AlignedVector<float> numbers(std::int64_t count) {
  RandomStream random(1);
  AlignedVector<float> out(static_cast<std::size_t>(count));
  for (float& x : out) x = static_cast<float>(2 * random.uniform() - 1);
  return out;
}

void count_flops(benchmark::State& state, std::int64_t rows, const Shape& shape) {
  state.counters["GFLOP/s"] = benchmark::Counter(2e-9 * static_cast<double>(rows * shape.in * shape.out),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

PackedWeights pack(const Shape& shape, WeightFormat format) {
  const AlignedVector<float> weight = numbers(shape.in * shape.out);
  const WeightPart part{.weight = weight.data(), .bias = nullptr, .out = shape.out};
  return PackedWeights({&part, 1}, shape.in, format, -std::numeric_limits<float>::infinity());
}

void packed(benchmark::State& state, Shape shape, std::int64_t rows, WeightFormat format) {
  const PackedWeights weights = pack(shape, format);
  const AlignedVector<float> x = numbers(rows * shape.in);
  AlignedVector<float> y(static_cast<std::size_t>(rows * weights.padded_out()));
  ProductRows input;
  for (auto _ : state) {
    input.assign(weights.layout(), x.data(), shape.in, rows, shape.in);
    multiply(input, weights, y.data(), weights.padded_out());
    benchmark::DoNotOptimize(y.data());
  }
  count_flops(state, rows, shape);
}

void libtorch(benchmark::State& state, Shape shape, std::int64_t rows) {
  const at::Tensor x = at::randn({rows, shape.in}), w = at::randn({shape.out, shape.in});
  for (auto _ : state) benchmark::DoNotOptimize(at::linear(x, w));
  count_flops(state, rows, shape);
}

void next_tokens(benchmark::State& state, std::int64_t rows, WeightFormat format) {
  const PackedWeights weights = pack(kVocabulary, format);
  const AlignedVector<float> x = numbers(rows * kVocabulary.in);
  ProductRows input;
  NextTokens search;
  NextTokenTable table;
  for (auto _ : state) {
    input.assign(weights.layout(), x.data(), kVocabulary.in, rows, kVocabulary.in);
    search.find(input, weights, {.k = 5, .end = 3}, table);
    benchmark::DoNotOptimize(table.best.data());
  }
  count_flops(state, rows, kVocabulary);
}

constexpr HeadWidths kHeads = {.heads = 4, .d_k = 32, .d_v = 32, .scale = 0.177F};
constexpr std::int64_t kKeys = 15;

void memory_attention(benchmark::State& state, std::int64_t rows) {
  const AlignedVector<float> kv = numbers(kKeys * kHeads.kv_width()), q = numbers(rows * kHeads.q_width());
  AlignedVector<float> arranged(static_cast<std::size_t>(arranged_size(kHeads, kKeys))), scratch,
      out(static_cast<std::size_t>(rows * kHeads.out_width()));
  arrange_memory(kHeads, {kv.data(), kHeads.kv_width()}, kKeys, arranged.data());
  for (auto _ : state) {
    attend_memory(kHeads, arranged.data(), kKeys, {q.data(), kHeads.q_width()}, rows, {out.data(), kHeads.out_width()},
                  scratch);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * rows);
}

void scattered_attention(benchmark::State& state) {
  const AlignedVector<float> kv = numbers(kKeys * kHeads.kv_width()), q = numbers(kHeads.q_width());
  AlignedVector<float> scratch, out(static_cast<std::size_t>(kHeads.out_width()));
  std::vector<const float*> rows;
  for (std::int64_t t = 0; t < kKeys; ++t) rows.push_back(kv.data() + t * kHeads.kv_width());
  for (auto _ : state) {
    attend_scattered(kHeads, rows.data(), kKeys, q.data(), out.data(), scratch);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations());
}

void norm(benchmark::State& state) {
  AlignedVector<float> x = numbers(64 * 128), branch = numbers(64 * 128);
  const AlignedVector<float> gamma = numbers(128), beta = numbers(128);
  const RowNorm weights{.gamma = gamma.data(), .beta = beta.data(), .eps = 1e-5, .rms = false};
  for (auto _ : state) {
    add_and_norm(weights, 128, 64, {branch.data(), 128}, {x.data(), 128}, {x.data(), 128});
    benchmark::DoNotOptimize(x.data());
  }
  state.SetItemsProcessed(state.iterations() * 64);
}

void register_all() {
  constexpr std::array formats = {std::pair(WeightFormat::fp32, "fp32"), std::pair(WeightFormat::bf16, "bf16"),
                                  std::pair(WeightFormat::int8, "int8")};
  for (const std::int64_t rows : kRows) {
    const std::string end = "/" + std::to_string(rows);
    for (const Shape& shape : kShapes) {
      const std::string name = std::to_string(shape.in) + "x" + std::to_string(shape.out) + end;
      for (const auto& [format, label] : formats) {
        benchmark::RegisterBenchmark(("product/" + std::string(label) + "/" + name).c_str(), packed, shape, rows,
                                     format);
      }
      benchmark::RegisterBenchmark(("product/libtorch/" + name).c_str(), libtorch, shape, rows);
    }
    for (const auto& [format, label] : formats) {
      benchmark::RegisterBenchmark(("next_tokens/" + std::string(label) + end).c_str(), next_tokens, rows, format);
    }
  }
  for (const std::int64_t rows : {1, 5}) {
    benchmark::RegisterBenchmark(("memory_attention/" + std::to_string(rows)).c_str(), memory_attention, rows);
  }
  benchmark::RegisterBenchmark("scattered_attention", scattered_attention);
  benchmark::RegisterBenchmark("norm", norm);
}

}  // namespace

/// The kernels are of one thread each, and so is what they are compared with.
void register_benchmarks(int) {
  at::set_num_threads(1);
  register_all();
}

}  // namespace mha
