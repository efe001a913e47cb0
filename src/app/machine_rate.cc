#include "app/machine_rate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/system.h"
#include "cost/memory.h"
#include "cost/parameters.h"
#include "data/corpus.h"
#include "model/transformer.h"
#include "train/step_bench.h"

namespace mha {
namespace {

/// Enough for products to be as fast as they get, for each thread.
constexpr std::int64_t kTokensOfAThread = 1024;
constexpr std::int64_t kPairs = 512;

std::vector<TokenId> random_sentence(RandomStream& random, double mean_length, std::int64_t longest,
                                     std::int64_t vocab) {
  const double length = mean_length * (0.5 + random.uniform()) - 1;  // EOS comes on top
  std::vector<TokenId> ids(static_cast<std::size_t>(std::clamp(length, 1.0, static_cast<double>(longest - 1))));
  for (TokenId& id : ids) id = static_cast<TokenId>(random.below(static_cast<std::uint64_t>(vocab)));
  return ids;
}

CorpusPtr random_corpus(const RunConfig& config, const RunShape& shape) {
  RandomStream random(derive_key({static_cast<std::uint64_t>(config.seed)}));
  std::vector<std::pair<std::vector<TokenId>, std::vector<TokenId>>> pairs;
  for (std::int64_t i = 0; i < kPairs; ++i) {
    pairs.emplace_back(random_sentence(random, shape.source_length, config.model.max_positions, shape.source_vocab),
                       random_sentence(random, shape.target_length, config.model.max_positions, shape.target_vocab));
  }
  return corpus_of_pairs(std::move(pairs));
}

}  // namespace

TrainingRate measure_training_rate(const RunConfig& config, const RunShape& shape, const Environment& environment,
                                   double seconds) {
  if (!environment.device.is_cpu()) throw UserError("rates are measured on processors only; add --device cpu");
  RunConfig short_run = config;
  short_run.train.update_freq = 1;
  short_run.data.max_tokens = std::min(config.data.max_tokens, kTokensOfAThread * environment.threads);
  Transformer model({.model = config.model,
                     .attention = config.attention,
                     .source_vocab = shape.source_vocab,
                     .target_vocab = shape.target_vocab,
                     .pad = SpecialIds::pad,
                     .seed = static_cast<std::uint64_t>(config.seed)},
                    environment.device);
  const StepTimes times = bench_steps(short_run, model, random_corpus(config, shape),
                                      {.warmup = 1,
                                       .updates = 100,
                                       .most_seconds = seconds,
                                       .dtype = environment.dtype,
                                       .threads = environment.threads});
  const double updating = times.reduce + times.optimizer;
  return {.flops_per_second = executed_flops(config, shape, static_cast<double>(times.source_tokens),
                                             static_cast<double>(times.target_tokens)) /
                              (times.seconds - updating),
          .parameters_per_second = static_cast<double>(parameter_count(config, shape) * times.updates) / updating};
}

bool fits_to_be_measured(const RunConfig& config, const RunShape& shape) {
  return total(expected_memory(config, shape)) <= available_memory_bytes() / 2;
}

}  // namespace mha
