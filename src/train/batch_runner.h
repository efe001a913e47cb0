#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "config/config.h"
#include "data/batch.h"
#include "data/corpus.h"
#include "model/transformer.h"
#include "train/progress_state.h"

namespace mha {

/// Forward and backward pass of a batch, one part of it on each thread: a part's products are small enough to stay near
/// its core, and no thread waits for another inside the model. Parts share the weights and have gradients of their own;
/// dropout masks are those of the undivided batch (see DropoutSpec). For one number of threads the result is always the
/// same; for another it differs by rounding, as sums are made in another order.
class BatchRunner {
 public:
  struct Options {
    double label_smoothing = 0;
    at::ScalarType dtype = at::kFloat;
    bool recompute = false;
    int threads = 1;
  };
  /// Not owned: model, corpus; both must outlive this.
  BatchRunner(Transformer& model, const EncodedCorpus& corpus, const Options& options);
  ~BatchRunner();
  BatchRunner(const BatchRunner&) = delete;
  BatchRunner& operator=(const BatchRunner&) = delete;

  void zero_gradients();
  /// Adds a batch's gradients (of the loss summed over target tokens). `step_key`: of (seed, update, micro-batch).
  /// Returns losses, tokens, sentences, positions and wait_seconds.
  UpdateSums run(std::span<const std::int64_t> pairs, std::uint64_t step_key);
  /// Makes the model's gradients those of all batches since zero_gradients().
  void reduce_gradients();
  /// Of all parts.
  std::int64_t gradient_bytes() const;
  /// Seconds that the first part of the last batch took.
  struct PartTimes {
    double data = 0, forward = 0, backward = 0;
  };
  const PartTimes& first_part() const { return first_part_; }

 private:
  struct Part;  // some pairs of a batch, in order
  struct PartResult;
  struct Helper;
  std::vector<Part> split(std::span<const std::int64_t> pairs) const;
  PartResult run_part(Transformer& model, const Part& part, std::uint64_t step_key) const;

  Transformer& model_;
  const EncodedCorpus& corpus_;
  Options options_;
  std::vector<std::unique_ptr<Helper>> helpers_;  // all parts but the first, made when first needed
  PartTimes first_part_;
};

/// What a configuration says of batches, of the passes over them and of their dropout.
BatchSequence::Options batch_options(const RunConfig& config);
BatchRunner::Options runner_options(const RunConfig& config, at::ScalarType dtype, int threads);
/// Of micro-batch `micro` (from 0) of update `number` (from 1).
std::uint64_t dropout_key(const RunConfig& config, std::int64_t number, std::int64_t micro);

}  // namespace mha
