// Translating with the tiny model's shape, every output 16 tokens long: sentences/s by beam, path and precision.
// bench/decode --threads=2 --benchmark_filter=beam5
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "base/work_items.h"
#include "bench_main.h"
#include "data/batch.h"
#include "decode/beam_search.h"
#include "decode/search_models.h"
#include "standard_jobs.h"

namespace mha {
namespace {

constexpr std::int64_t kSentences = 1'000, kLength = 16;

void decode(benchmark::State& state, const DecodeConfig& search, int threads) {
  const RunConfig config = standard_jobs().front().config;
  const Transformer model({.model = config.model,
                           .attention = config.attention,
                           .source_vocab = kBenchVocabulary,
                           .target_vocab = kBenchVocabulary},
                          at::kCPU);
  const SearchModels models = make_search_models(model, search, threads);
  const CorpusPtr corpus = random_corpus(kSentences);
  const std::vector<std::vector<std::int64_t>> batches = sorted_batches(*corpus, search.max_tokens / search.beam);
  const std::vector<SearchModel*> workers = models.workers();
  for (auto _ : state) {
    for_each_item(batches.size(), workers.size(), [&](std::size_t batch, std::size_t worker) {
      PackedTokens sources;
      for (const std::int64_t pair : batches[batch]) sources.append(corpus->source(pair));
      benchmark::DoNotOptimize(beam_search(*workers[worker], sources, search));
    });
  }
  state.counters["sentences/s"] =
      benchmark::Counter(static_cast<double>(kSentences), benchmark::Counter::kIsIterationInvariantRate);
  state.SetLabel(models.path + " " + models.precision);
}

}  // namespace

void register_benchmarks(int threads) {
  for (const std::int64_t beam : {1, 5}) {
    DecodeConfig search{.beam = beam, .max_len_a = 0, .max_len_b = kLength, .min_len = kLength};
    const auto add = [&](const std::string& name) {
      benchmark::RegisterBenchmark(("beam" + std::to_string(beam) + "/" + name).c_str(), decode, search, threads)
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    };
    for (const DecodePrecision precision : {DecodePrecision::fp32, DecodePrecision::bf16, DecodePrecision::int8}) {
      search.precision = precision;
      add("packed/" + std::string(enum_names(precision)[static_cast<std::size_t>(precision)]));
    }
    search.precision = DecodePrecision::fp32;
    search.path = DecodePath::generic;
    add("generic/fp32");
  }
}

}  // namespace mha
