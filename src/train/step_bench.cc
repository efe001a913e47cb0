#include "train/step_bench.h"

#include <algorithm>

#include "base/clock.h"
#include "base/random.h"
#include "base/stop.h"
#include "data/batch.h"
#include "ops/adam.h"
#include "train/batch_runner.h"
#include "train/lr_schedule.h"
#include "train/optimizer.h"

namespace mha {
namespace {

class Bench {
 public:
  Bench(const RunConfig& config, Transformer& model, const CorpusPtr& corpus, const StepBenchOptions& options)
      : config_(config),
        model_(model),
        batches_(corpus, batch_options(config)),
        runner_(model, *corpus, runner_options(config, options.dtype, options.threads)),
        optimizer_(config.optimizer, model.parameters()) {}

  void update() {
    const Stopwatch watch;
    ++number_;
    runner_.zero_gradients();
    UpdateSums sums;
    for (std::int64_t micro = 0; micro < config_.train.update_freq; ++micro) {
      const Stopwatch next;
      const std::vector<std::int64_t> pairs = batches_.next();
      times.data += next.seconds();
      const Stopwatch run;
      sums += runner_.run(pairs, dropout_key(config_, number_, micro));
      const auto& [data, forward, backward] = runner_.first_part();
      times.data += data;
      times.forward += forward;
      times.backward += backward;
      times.waiting += run.seconds() - data - forward - backward;
    }
    {
      const TimedScope scope(times.reduce);
      runner_.reduce_gradients();
      norm_of(model_.parameters().flat_gradients());
    }
    {
      const TimedScope scope(times.optimizer);
      const double lr = learning_rate(config_.optimizer, number_, config_.model.d_model, config_.train.max_update);
      optimizer_.step(number_, lr, 1 / static_cast<double>(sums.target_tokens));
    }
    const double seconds = watch.seconds();
    times.seconds += seconds;
    times.slowest_update = std::max(times.slowest_update, seconds);
    times.fastest_update = times.updates == 0 ? seconds : std::min(times.fastest_update, seconds);
    ++times.updates;
    times.source_tokens += sums.source_tokens;
    times.target_tokens += sums.target_tokens;
  }

  StepTimes times;

 private:
  const RunConfig& config_;
  Transformer& model_;
  BatchSequence batches_;
  BatchRunner runner_;
  Optimizer optimizer_;
  std::int64_t number_ = 0;
};

}  // namespace

StepTimes bench_steps(const RunConfig& config, Transformer& model, const CorpusPtr& corpus,
                      const StepBenchOptions& options) {
  Bench bench(config, model, corpus, options);
  for (std::int64_t i = 0; i < options.warmup + options.updates; ++i) {
    throw_if_stopped();
    if (i == options.warmup) bench.times = {};
    if (i > options.warmup && bench.times.seconds >= options.most_seconds) break;
    bench.update();
  }
  return bench.times;
}

}  // namespace mha
