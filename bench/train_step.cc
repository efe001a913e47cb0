// A training step of the standard jobs by precision, activation and attention path: target tokens/s, GFLOP/s of the
// products with weights, and their share of what the machine's own matrix product reaches.
// bench/train_step --threads=2 --benchmark_filter=tiny
#include <benchmark/benchmark.h>

#include <string>

#include "bench_main.h"
#include "cost/products.h"
#include "ops/roofline.h"
#include "standard_jobs.h"
#include "train/step_bench.h"

namespace mha {
namespace {

constexpr std::int64_t kPairs = 20'000, kUpdates = 5;

void train_step(benchmark::State& state, const RunConfig& config, at::ScalarType dtype, int threads) {
  const double peak = matrix_product_rate(dtype);
  const CorpusPtr corpus = random_corpus(kPairs);
  Transformer model({.model = config.model,
                     .attention = config.attention,
                     .source_vocab = kBenchVocabulary,
                     .target_vocab = kBenchVocabulary},
                    at::kCPU);
  const TokenProducts products =
      training_products(config, {.source_vocab = kBenchVocabulary, .target_vocab = kBenchVocabulary}).with_weights();
  double seconds = 0, operations = 0, tokens = 0;
  for (auto _ : state) {
    const StepTimes times =
        bench_steps(config, model, corpus, {.warmup = 2, .updates = kUpdates, .dtype = dtype, .threads = threads});
    state.SetIterationTime(times.seconds / static_cast<double>(times.updates));
    seconds += times.seconds;
    tokens += static_cast<double>(times.target_tokens);
    operations += 6 * products.of(static_cast<double>(times.source_tokens), static_cast<double>(times.target_tokens));
  }
  state.counters["target_tokens/s"] = tokens / seconds;
  state.counters["GFLOP/s"] = operations / seconds * 1e-9;
  state.counters["share_of_peak"] = operations / seconds / peak;
}

void add(const std::string& name, const RunConfig& config, int threads) {
  for (const auto& [type, label] : {std::pair(at::kFloat, "fp32"), std::pair(at::kBFloat16, "bf16")}) {
    benchmark::RegisterBenchmark((name + "/" + label).c_str(), train_step, config, type, threads)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace

void register_benchmarks(int threads) {
  for (const auto& [name, config] : standard_jobs()) {
    add(name, config, threads);
    RunConfig changed = config;
    changed.attention.path = AttnPath::generic;
    add(name + "/generic_attention", changed, threads);
    changed = config;
    changed.train.recompute = true;
    add(name + "/recompute", changed, threads);
    for (const Activation activation : {Activation::gelu, Activation::swiglu}) {
      changed = config;
      changed.model.activation = activation;
      add(name + "/" + std::string(enum_names(activation)[static_cast<std::size_t>(activation)]), changed, threads);
    }
  }
}

}  // namespace mha
