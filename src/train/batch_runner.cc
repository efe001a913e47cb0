#include "train/batch_runner.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <future>

#include "base/clock.h"
#include "base/random.h"
#include "base/worker.h"
#include "data/batch.h"
#include "model/batch_tensors.h"
#include "ops/memory.h"

namespace mha {
namespace {

/// A part has at least this many target tokens: below it, products are too small to be fast.
constexpr std::int64_t kPartTokens = 512;

/// The number of threads of LibTorch's operations in this thread, put back at the end.
class ThreadsHere {
 public:
  explicit ThreadsHere(int threads) : before_(at::get_num_threads()) { at::set_num_threads(threads); }
  ~ThreadsHere() { at::set_num_threads(before_); }
  ThreadsHere(const ThreadsHere&) = delete;
  ThreadsHere& operator=(const ThreadsHere&) = delete;

 private:
  int before_;
};

}  // namespace

struct BatchRunner::Part {
  std::span<const std::int64_t> pairs;
  std::int64_t first_source_row = 0, first_target_row = 0;
};

struct BatchRunner::PartResult {
  UpdateSums sums;
  std::int64_t longest_source = 0, longest_target = 0;
  PartTimes times;
};

struct BatchRunner::Helper {
  explicit Helper(const Transformer& original) : model(original.spec(), original.device()) {
    model.parameters().share_values(original.parameters());
  }
  Transformer model;
  Worker worker;
};

BatchRunner::BatchRunner(Transformer& model, const EncodedCorpus& corpus, const Options& options)
    : model_(model), corpus_(corpus), options_(options) {
  if (!model.device().is_cpu()) options_.threads = 1;  // of parts; the device has its own
}

BatchRunner::~BatchRunner() = default;

void BatchRunner::zero_gradients() {
  model_.parameters().zero_gradients();
  for (const auto& helper : helpers_) helper->model.parameters().zero_gradients();
}

void BatchRunner::reduce_gradients() {
  at::Tensor& sum = model_.parameters().flat_gradients();
  for (const auto& helper : helpers_) sum.add_(helper->model.parameters().flat_gradients());
}

std::int64_t BatchRunner::gradient_bytes() const {
  const auto one = static_cast<std::int64_t>(model_.parameters().flat_gradients().nbytes());
  return one * (1 + static_cast<std::int64_t>(helpers_.size()));
}

std::vector<BatchRunner::Part> BatchRunner::split(std::span<const std::int64_t> pairs) const {
  if (options_.threads == 1) return {Part{.pairs = pairs}};
  const auto source = [&](std::int64_t pair) { return static_cast<std::int64_t>(corpus_.source(pair).size()); };
  const auto target = [&](std::int64_t pair) { return static_cast<std::int64_t>(corpus_.target(pair).size()); };
  std::int64_t all = 0, targets = 0;
  for (const std::int64_t pair : pairs) {
    all += source(pair) + target(pair);
    targets += target(pair);
  }
  const std::int64_t count = std::clamp<std::int64_t>(targets / kPartTokens, 1, options_.threads);
  std::vector<Part> parts;
  Part part;
  std::size_t begin = 0;
  std::int64_t done = 0, source_rows = 0, target_rows = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    done += source(pairs[i]) + target(pairs[i]);
    source_rows += source(pairs[i]);
    target_rows += target(pairs[i]);
    const auto number = static_cast<std::int64_t>(parts.size()) + 1;
    if (i + 1 < pairs.size() && (number == count || done * count < all * number)) continue;
    part.pairs = pairs.subspan(begin, i + 1 - begin);
    parts.push_back(part);
    begin = i + 1;
    part.first_source_row = source_rows;
    part.first_target_row = target_rows;
  }
  return parts;
}

BatchRunner::PartResult BatchRunner::run_part(Transformer& model, const Part& part, std::uint64_t step_key) const {
  PartResult result;
  UpdateSums& sums = result.sums;
  const Stopwatch waiting;
  const Batch batch = make_batch(corpus_, part.pairs);
  BatchTensors tensors =
      batch_tensors({batch.source.tokens, batch.source.offsets}, {batch.target_in.tokens, batch.target_in.offsets},
                    batch.target_out, model.device(), model.all_packed() ? kTrainingRows : 1);
  tensors.source.first_row = part.first_source_row;
  tensors.target.first_row = part.first_target_row;
  sums.wait_seconds = result.times.data = waiting.seconds();
  ForwardContext context;
  context.training = true;
  context.dtype = options_.dtype;
  context.recompute = options_.recompute;
  context.step_key = step_key;
  const Stopwatch passes;
  const TokenLoss loss = model.loss(tensors, options_.label_smoothing, context);
  result.times.forward = passes.seconds();
  loss.smoothed.backward();
  result.times.backward = passes.seconds() - result.times.forward;
  sums.loss = loss.smoothed.item<double>();
  sums.nll = loss.nll.item<double>();
  sums.target_tokens = batch.target_tokens();
  sums.source_tokens = batch.source.total();
  sums.sentences = batch.source.count();
  result.longest_source = batch.source.max_length();
  result.longest_target = batch.target_in.max_length();
  return result;
}

UpdateSums BatchRunner::run(std::span<const std::int64_t> pairs, std::uint64_t step_key) {
  const std::vector<Part> parts = split(pairs);
  while (helpers_.size() + 1 < parts.size()) helpers_.push_back(std::make_unique<Helper>(model_));
  const int threads = std::max(1, options_.threads / static_cast<int>(parts.size()));
  std::vector<PartResult> results(parts.size());
  std::vector<std::future<void>> others;
  {
    const ThreadsHere fewer(parts.size() > 1 ? threads : at::get_num_threads());
    for (std::size_t i = 1; i < parts.size(); ++i) {
      others.push_back(helpers_[i - 1]->worker.start([&, i] {
        start_threads(threads);
        results[i] = run_part(helpers_[i - 1]->model, parts[i], step_key);
      }));
    }
    std::exception_ptr failure;
    const auto guarded = [&](auto&& action) {
      try {
        action();
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    };
    guarded([&] { results[0] = run_part(model_, parts[0], step_key); });
    for (std::future<void>& other : others) guarded([&] { other.get(); });  // all, before anything they use is gone
    if (failure) std::rethrow_exception(failure);
  }
  first_part_ = results.front().times;
  UpdateSums sums;
  double wait_seconds = 0;
  std::int64_t longest_source = 0, longest_target = 0;
  for (const PartResult& result : results) {
    sums += result.sums;
    wait_seconds = std::max(wait_seconds, result.sums.wait_seconds);
    longest_source = std::max(longest_source, result.longest_source);
    longest_target = std::max(longest_target, result.longest_target);
  }
  sums.wait_seconds = wait_seconds;
  sums.positions = sums.sentences * (longest_source + longest_target);
  return sums;
}

BatchSequence::Options batch_options(const RunConfig& config) {
  return {.max_tokens = config.data.max_tokens,
          .max_sentences = config.data.max_sentences,
          .batching = config.data.batching,
          .seed = static_cast<std::uint64_t>(config.seed)};
}

BatchRunner::Options runner_options(const RunConfig& config, at::ScalarType dtype, int threads) {
  return {.label_smoothing = config.train.label_smoothing,
          .dtype = dtype,
          .recompute = config.train.recompute,
          .threads = threads};
}

std::uint64_t dropout_key(const RunConfig& config, std::int64_t number, std::int64_t micro) {
  return derive_key({static_cast<std::uint64_t>(config.seed), static_cast<std::uint64_t>(Stream::dropout),
                     static_cast<std::uint64_t>(number), static_cast<std::uint64_t>(micro)});
}

}  // namespace mha
