#pragma once

#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/stop.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"
#include "train/trainer.h"
#include "unit/model/model_testing.h"

namespace mha::testing {

using Pairs = std::vector<std::pair<std::vector<TokenId>, std::vector<TokenId>>>;

constexpr std::int64_t kVocab = 12;

/// Sentences of 1 to 8 symbols that are to be said again.
inline Pairs copy_pairs(std::size_t count) {
  Pairs pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<TokenId> ids = sentence(1 + i % 8, 100 + i, kVocab);
    pairs.emplace_back(ids, ids);
  }
  return pairs;
}

/// A small model with dropout everywhere; four sentences a batch; a log point for every update.
inline RunConfig toy_config() {
  RunConfig config;
  config.data.max_sentences = 4;
  config.model = {.encoder_layers = 1,
                  .decoder_layers = 1,
                  .d_model = 16,
                  .d_ff = 32,
                  .dropout = 0.1,
                  .activation_dropout = 0.1,
                  .max_positions = 64};
  config.attention.num_heads = 2;
  config.attention.attention_dropout = 0.1;
  config.optimizer.lr = 5e-3;
  config.optimizer.warmup_updates = 10;
  config.train.max_update = 40;
  config.train.log_interval = 1;
  config.train.validate_interval_updates = 5;
  return config;
}

inline Transformer::Spec spec_of(const RunConfig& config) {
  return {.model = config.model,
          .attention = config.attention,
          .source_vocab = kVocab,
          .target_vocab = kVocab,
          .pad = 0,
          .seed = static_cast<std::uint64_t>(config.seed)};
}

/// What one process of a run has in memory; the folder is what the next one finds.
class Process : public TrainObserver {
 public:
  Process(const RunConfig& run_config, CorpusPtr corpus, const std::filesystem::path& folder)
      : config(run_config),
        model(spec_of(config), at::kCPU),
        optimizer(config.optimizer, model.parameters()),
        checkpoints({.folder = folder / "checkpoints",
                     .model = model_identity(config_to_json(config), kVocab, kVocab),
                     .keep_last = config.train.keep_last,
                     .average_last = config.train.average_last},
                    model.parameters(), optimizer),
        events(folder / "events.jsonl"),
        trainer(config,
                {model, optimizer, std::move(corpus), checkpoints, events, *this, [this] { return validate(); }}) {}

  void on_point(const ProgressState& state, const TrainPoint& point) override {
    points[point.num_updates] = point;
    if (after_update) after_update(state.update);
  }
  void on_validation(const ValidationPoint& point) override { validations.push_back(point); }

  /// The loss of a few sentences that are not in the corpus.
  ValidationPoint validate() {
    if (instead_of_validating) return instead_of_validating();
    const at::NoGradGuard no_grad;
    const std::vector<std::int32_t> a = sentence(5, 1), b = sentence(2, 2);
    const at::Tensor scores = model.token_log_probs(batch_of({a, b}, {a, b}), {});
    ValidationPoint point;
    point.target_tokens = scores.numel();
    point.nll_loss = -scores.mean().item<double>();
    point.ppl = std::exp(point.nll_loss);
    return point;
  }

  std::map<std::int64_t, double> losses() const {
    std::map<std::int64_t, double> all;
    for (const auto& [update, point] : points) all[update] = point.loss;
    return all;
  }

  const RunConfig config;
  Transformer model;
  Optimizer optimizer;
  CheckpointStore checkpoints;
  EventLog events;
  Trainer trainer;
  std::map<std::int64_t, TrainPoint> points;
  std::vector<ValidationPoint> validations;
  std::function<void(std::int64_t)> after_update;
  std::function<ValidationPoint()> instead_of_validating;
};

/// A corpus that tells when its pairs are read: once each when an epoch's order is made, then as the batches need them.
class WatchedCorpus : public EncodedCorpus {
 public:
  WatchedCorpus(CorpusPtr corpus, std::function<void(std::int64_t)> on_read)
      : corpus_(std::move(corpus)), on_read_(std::move(on_read)) {}
  std::int64_t size() const override { return corpus_->size(); }
  std::span<const TokenId> source(std::int64_t pair) const override {
    on_read_(++reads_);
    return corpus_->source(pair);
  }
  std::span<const TokenId> target(std::int64_t pair) const override { return corpus_->target(pair); }
  const PairCounts& counts() const override { return corpus_->counts(); }
  const std::string& hash() const override { return corpus_->hash(); }

 private:
  CorpusPtr corpus_;
  std::function<void(std::int64_t)> on_read_;
  mutable std::int64_t reads_ = 0;
};

/// Every training test starts and ends without a stop request and with a folder of its own.
class TrainTest : public ::testing::Test {
 protected:
  void SetUp() override { request_stop(0); }
  void TearDown() override { request_stop(0); }
  std::filesystem::path folder(const std::string& name) {
    std::filesystem::create_directories(temporary_ / name);
    return temporary_ / name;
  }

 private:
  TemporaryFolder temporary_;
};

}  // namespace mha::testing
