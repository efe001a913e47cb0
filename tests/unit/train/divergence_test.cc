// Losses and gradients that are not finite: skipped and counted, an end with `diverged`, and never the best.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "unit/train/train_testing.h"

namespace mha {
namespace {

using testing::copy_pairs;
using ::testing::HasSubstr;
using testing::Process;
using testing::same_bytes;
using testing::toy_config;
using testing::WatchedCorpus;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// One sentence a batch and a single pass, so that update u reads pair number 20 + u.
RunConfig one_by_one() {
  RunConfig config = toy_config();
  config.data.max_sentences = 1;
  config.train.max_update = 12;
  config.train.validate_interval_updates = 4;
  return config;
}

std::string divergence_of(Trainer& trainer) {
  try {
    trainer.run();
  } catch (const Diverged& error) {
    return error.what();
  }
  return "it did not diverge";
}

class Divergence : public testing::TrainTest {
 protected:
  /// A process whose weights are NaN during the updates `from` to `until`.
  std::unique_ptr<Process> poisoned(const RunConfig& config, std::int64_t from, std::int64_t until) {
    const auto corpus =
        std::make_shared<WatchedCorpus>(corpus_of_pairs(copy_pairs(20)), [this, from, until](std::int64_t read) {
          at::Tensor& weights = process_->model.parameters().flat_values();
          if (read == 20 + from) {
            healthy_ = weights.clone();
            weights.fill_(kNan);
          }
          if (read == 20 + until + 1) weights.copy_(healthy_);
        });
    auto process = std::make_unique<Process>(config, corpus, folder("poisoned"));
    process_ = process.get();
    return process;
  }

  std::vector<std::int64_t> skipped() {
    std::vector<std::int64_t> updates;
    for (const Event& event : read_events(folder("poisoned") / "events.jsonl")) {
      if (const auto* skip = std::get_if<SkippedUpdate>(&event.body)) updates.push_back(skip->num_updates);
    }
    return updates;
  }

  at::Tensor healthy_;

 private:
  Process* process_ = nullptr;
};

TEST_F(Divergence, ABadUpdateIsSkippedAndCounted) {
  const auto process = poisoned(one_by_one(), 6, 7);
  EXPECT_EQ(process->trainer.run(), "max_update");
  EXPECT_THAT(skipped(), ::testing::ElementsAre(6, 7));
  EXPECT_EQ(process->trainer.state().skipped_updates, 2);
  EXPECT_EQ(process->trainer.state().update, 12);
  EXPECT_EQ(process->trainer.state().total.updates, 10);
  EXPECT_EQ(process->points.count(6), 0U);
  EXPECT_EQ(process->points.count(8), 1U);
  for (const auto& [update, point] : process->points) EXPECT_TRUE(std::isfinite(point.loss)) << update;
  EXPECT_TRUE(at::isfinite(process->model.parameters().flat_values()).all().item<bool>());
  EXPECT_TRUE(at::isfinite(process->optimizer.second_moment()).all().item<bool>());
}

TEST_F(Divergence, TooManyEndTheRun) {
  RunConfig config = one_by_one();
  config.train.max_bad_updates = 2;
  const auto process = poisoned(config, 6, 12);
  const std::string message = divergence_of(process->trainer);
  EXPECT_THAT(message,
              ::testing::AllOf(HasSubstr("the loss is not finite at update 8"), HasSubstr("max_bad_updates is 2")));
  EXPECT_THAT(skipped(), ::testing::ElementsAre(6, 7, 8));
  EXPECT_FALSE(std::filesystem::exists(process->checkpoints.last()));
  EXPECT_EQ(process->trainer.state().best.update(), 4);
}

TEST_F(Divergence, AnEndWithoutAFiniteValidationIsNoSuccess) {
  const auto process = poisoned(one_by_one(), 11, 12);
  EXPECT_THAT(divergence_of(process->trainer), HasSubstr("validation loss is not finite at update 12"));
  EXPECT_FALSE(std::filesystem::exists(process->checkpoints.last()));
  EXPECT_EQ(process->trainer.state().best.update(), 8);
  // Whoever resumes it starts from the last good state.
  Process again(one_by_one(), corpus_of_pairs(copy_pairs(20)), folder("poisoned"));
  EXPECT_TRUE(again.trainer.resume());
  EXPECT_EQ(again.trainer.state().update, 8);
  EXPECT_EQ(again.trainer.run(), "max_update");
}

TEST_F(Divergence, HugeLearningRateNeverEndsWell) {
  for (const bool validating : {true, false}) {
    for (const double lr : {1e30, 1e39}) {
      RunConfig config = toy_config();
      config.optimizer.lr = lr;
      config.optimizer.warmup_updates = 0;
      config.train.max_update = 8;
      const std::string name = std::to_string(validating) + std::to_string(lr);
      Process process(config, corpus_of_pairs(copy_pairs(8)), folder(name));
      Trainer::Parts parts{process.model,
                           process.optimizer,
                           corpus_of_pairs(copy_pairs(8)),
                           process.checkpoints,
                           process.events,
                           process,
                           {}};
      if (validating) parts.validate = [&] { return process.validate(); };
      Trainer trainer(process.config, parts);
      EXPECT_THROW(trainer.run(), Diverged) << name;
      EXPECT_FALSE(trainer.state().best.value().has_value() && trainer.state().best.update() > 0) << name;
      EXPECT_FALSE(std::filesystem::exists(process.checkpoints.best())) << name;
    }
  }
}

TEST_F(Divergence, WeightsThatAreNotFiniteAreNotKept) {
  RunConfig config = toy_config();
  config.train.max_update = 5;
  Process process(config, corpus_of_pairs(copy_pairs(8)), folder("run"));
  process.instead_of_validating = [&] {
    process.model.parameters().flat_values()[0].fill_(std::numeric_limits<double>::infinity());
    ValidationPoint point;
    point.nll_loss = 1;
    return point;
  };
  EXPECT_THAT(divergence_of(process.trainer), HasSubstr("the weights are not finite"));
  EXPECT_FALSE(std::filesystem::exists(process.checkpoints.last()));
}

// A large loss is no error: its perplexity overflows and is not written, the loss is.
TEST_F(Divergence, LargeLossesAreReported) {
  RunConfig config = toy_config();
  config.optimizer.lr = 1e4;
  config.optimizer.warmup_updates = 0;
  config.train.max_update = 3;
  Process process(config, corpus_of_pairs(copy_pairs(8)), folder("run"));
  EXPECT_EQ(process.trainer.run(), "max_update");
  const double nll = process.points.at(3).nll_loss;
  EXPECT_TRUE(std::isfinite(nll));
  EXPECT_GT(nll, 750);
  EXPECT_TRUE(std::isinf(process.points.at(3).ppl));
  int seen = 0;
  for (const Event& event : read_events(folder("run") / "events.jsonl")) {
    const auto* point = std::get_if<TrainPoint>(&event.body);
    if (point == nullptr || point->num_updates != 3) continue;
    ++seen;
    EXPECT_EQ(point->nll_loss, nll);
    EXPECT_FALSE(std::isfinite(point->ppl));
  }
  EXPECT_EQ(seen, 1);
}

TEST_F(Divergence, BestOfScoresWithGaps) {
  RunConfig config = toy_config();
  config.train.max_update = 20;
  config.train.best_checkpoint_metric = BestMetric::bleu;
  Process process(config, corpus_of_pairs(copy_pairs(8)), folder("run"));
  const std::vector<double> scores = {kNan, 20, 25, kNan};
  process.instead_of_validating = [&, next = std::size_t{0}]() mutable {
    ValidationPoint point;
    point.nll_loss = 1;
    point.bleu = scores.at(next++);
    return point;
  };
  process.trainer.run();
  EXPECT_EQ(process.trainer.state().best.value(), 25);
  EXPECT_EQ(process.trainer.state().best.update(), 15);
  EXPECT_EQ(process.trainer.state().best.without_improvement(), 1);
}

}  // namespace
}  // namespace mha
