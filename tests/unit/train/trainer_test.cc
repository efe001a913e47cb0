#include "train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "unit/train/train_testing.h"

namespace mha {
namespace {

using testing::copy_pairs;
using testing::largest_difference;
using testing::Pairs;
using testing::Process;
using testing::sentence;
using testing::toy_config;
using testing::training_context;

using TrainerTest = testing::TrainTest;

RunConfig without_dropout() {
  RunConfig config = toy_config();
  config.model.dropout = config.model.activation_dropout = config.attention.attention_dropout = 0;
  return config;
}

TEST_F(TrainerTest, LearnsToCopy) {
  RunConfig config = without_dropout();
  config.train.max_update = 200;
  config.train.validate_interval_updates = 100;
  config.data.max_sentences = 16;
  config.optimizer.lr = 1e-2;
  Process process(config, corpus_of_pairs(copy_pairs(64)), folder("run"));
  EXPECT_EQ(process.trainer.run(), "max_update");
  EXPECT_NEAR(process.points[1].nll_loss, std::log(12), 1.2);
  EXPECT_LT(process.points[200].nll_loss, 0.6 * process.points[1].nll_loss);
  ASSERT_EQ(process.validations.size(), 2U);
  EXPECT_LT(process.validations[1].nll_loss, process.validations[0].nll_loss);
  EXPECT_TRUE(process.validations[1].best);
  EXPECT_EQ(process.trainer.state().update, 200);
}

// Two batches of four are one of eight: losses and gradients are sums over tokens, also for the odd batch at the end
// of a pass, which is an update of its own.
TEST_F(TrainerTest, AccumulatedBatchesEqualOneLargeBatch) {
  Pairs uneven;
  for (std::uint64_t i = 0; i < 8; ++i) uneven.emplace_back(sentence(3, i), sentence(i < 4 ? 1 : 20, 50 + i));
  for (const auto& [pairs, per_epoch] : {std::pair{uneven, 1}, {copy_pairs(20), 3}}) {
    RunConfig config = without_dropout();
    config.data.batching = Batching::random;
    config.data.max_tokens = 1 << 20;
    config.model.bias = false;  // the gradient of a key bias is nothing but rounding, which Adam blows up
    config.optimizer.eps = 1e-3;
    config.train.max_update = 7;
    RunConfig accumulating = config;
    config.data.max_sentences = 8;
    accumulating.data.max_sentences = 4;
    accumulating.train.update_freq = 2;
    Process whole(config, corpus_of_pairs(pairs), folder("whole" + std::to_string(per_epoch)));
    Process halves(accumulating, corpus_of_pairs(pairs), folder("halves" + std::to_string(per_epoch)));
    whole.trainer.run();
    halves.trainer.run();
    ASSERT_EQ(halves.points.size(), 7U);
    for (const auto& [update, point] : whole.points) {
      const TrainPoint& other = halves.points.at(update);
      EXPECT_NEAR(point.loss, other.loss, 1e-6) << update;
      EXPECT_NEAR(point.nll_loss, other.nll_loss, 1e-6) << update;
      EXPECT_NEAR(point.gnorm, other.gnorm, 1e-6) << update;
      EXPECT_EQ(point.wpb, other.wpb) << update;
      EXPECT_EQ(point.epoch, other.epoch) << update;
      EXPECT_EQ(point.epoch, 1 + (update - 1) / per_epoch);
    }
    EXPECT_LT(largest_difference(whole.model.parameters().flat_values(), halves.model.parameters().flat_values()),
              1e-5);
  }
}

TEST_F(TrainerTest, TheFirstLossIsTheMeanOverTheTokens) {
  RunConfig config = without_dropout();
  config.train.max_update = 1;
  config.train.update_freq = 3;
  const auto pairs = copy_pairs(6);
  config.data.max_sentences = 2;
  Process process(config, corpus_of_pairs(pairs), folder("run"));
  testing::Sentences sentences;
  for (const auto& [source, target] : pairs) sentences.push_back(target);
  testing::Sentences sources = sentences;
  for (auto& source : sources) source.push_back(testing::kEos);
  const TokenLoss loss = process.model.loss(testing::batch_of(sources, sentences), 0.1, training_context());
  const double tokens = 1 + 2 + 3 + 4 + 5 + 6 + 6;  // the lengths and an EOS each
  process.trainer.run();
  const TrainPoint& point = process.points.at(1);
  EXPECT_NEAR(point.loss, loss.smoothed.item<double>() / tokens, 1e-5);
  EXPECT_NEAR(point.nll_loss, loss.nll.item<double>() / tokens, 1e-5);
  EXPECT_DOUBLE_EQ(point.ppl, std::exp(point.nll_loss));  // of the loss without smoothing
  EXPECT_GT(std::abs(point.loss - point.nll_loss), 1e-3);
  EXPECT_EQ(point.wpb, tokens);
  EXPECT_EQ(point.bsz, 6);
  EXPECT_EQ(point.source_tokens, tokens);
  EXPECT_DOUBLE_EQ(point.lr, 5e-4);
  EXPECT_EQ(process.trainer.state().total.target_tokens, tokens);
}

// A learning rate that moves nothing leaves the masks as the only difference between updates.
TEST_F(TrainerTest, EveryUpdateAndBatchHasItsOwnDropout) {
  RunConfig config = toy_config();
  config.optimizer.lr = 1e-30;
  config.data.max_sentences = 1;
  config.train.max_update = 8;
  const std::vector<TokenId> ids = sentence(6, 1);
  const CorpusPtr twice = corpus_of_pairs({{ids, ids}, {ids, ids}});
  const auto losses = [&](const RunConfig& one, const char* name) {
    Process process(one, twice, folder(name));
    process.trainer.run();
    std::set<double> all;
    for (const auto& [update, loss] : process.losses()) all.insert(loss);
    return std::pair(all, process.points[1].loss);
  };
  const auto [each, first] = losses(config, "each");
  EXPECT_EQ(each.size(), 8U);
  config.train.update_freq = 2;  // two batches of the same sentence
  EXPECT_NE(losses(config, "pairs").second, first);
  config.model.dropout = config.model.activation_dropout = config.attention.attention_dropout = 0;
  EXPECT_EQ(losses(config, "none").first.size(), 1U);
}

TEST_F(TrainerTest, AveragesBetweenLogPoints) {
  RunConfig config = without_dropout();
  config.train.max_update = 10;
  RunConfig sparse = config;
  sparse.train.log_interval = 5;
  Process each(config, corpus_of_pairs(copy_pairs(30)), folder("each")),
      fifth(sparse, corpus_of_pairs(copy_pairs(30)), folder("fifth"));
  each.trainer.run();
  fifth.trainer.run();
  ASSERT_EQ(fifth.points.size(), 2U);
  double loss = 0, tokens = 0, gnorm = 0;
  for (std::int64_t update = 6; update <= 10; ++update) {
    loss += each.points[update].loss * each.points[update].wpb;
    tokens += each.points[update].wpb;
    gnorm += each.points[update].gnorm / 5;
  }
  EXPECT_NEAR(fifth.points[10].loss, loss / tokens, 1e-9);
  EXPECT_NEAR(fifth.points[10].gnorm, gnorm, 1e-9);
  EXPECT_EQ(fifth.points[10].lr, each.points[10].lr);
}

TEST_F(TrainerTest, ClipsTheGradientOfTheMean) {
  RunConfig config = without_dropout();
  config.train.max_update = 3;
  config.optimizer.name = OptimizerName::adamw;
  RunConfig clipping = config;
  clipping.optimizer.clip_norm = 1e-3;
  Process free(config, corpus_of_pairs(copy_pairs(4)), folder("free"));
  Process clipped(clipping, corpus_of_pairs(copy_pairs(4)), folder("clipped"));
  free.trainer.run();
  clipped.trainer.run();
  EXPECT_EQ(free.points[1].clip, 0);
  EXPECT_EQ(clipped.points[1].clip, 1);
  EXPECT_EQ(clipped.points[1].gnorm, free.points[1].gnorm);  // as it was before
  const double first = clipped.optimizer.first_moment().norm().item<double>();
  EXPECT_LE(first, 1e-3);  // a mean of gradients of norm 1e-3
  EXPECT_GT(free.optimizer.first_moment().norm().item<double>(), 0.01);
}

TEST_F(TrainerTest, TheLastPartialBatchIsTrainedOn) {
  RunConfig config = toy_config();
  config.data.max_sentences = 64;
  config.train.max_update.reset();
  config.train.max_epoch = 3;
  Process process(config, corpus_of_pairs(copy_pairs(1)), folder("run"));
  EXPECT_EQ(process.trainer.run(), "max_epoch");
  EXPECT_EQ(process.points.size(), 3U);
  EXPECT_EQ(process.points[1].wpb, 2);
  EXPECT_GT(process.points[1].loss, 0);
  EXPECT_THROW(Process(config, corpus_of_pairs({}), folder("empty")), UserError);
}

TEST_F(TrainerTest, StopsWhereItWasTold) {
  RunConfig config = toy_config();
  config.train.max_epoch = 2;
  Process epochs(config, corpus_of_pairs(copy_pairs(18)), folder("epochs"));  // five batches a pass
  EXPECT_EQ(epochs.trainer.run(), "max_epoch");
  EXPECT_EQ(epochs.trainer.state().update, 10);
  EXPECT_EQ(epochs.trainer.state().epoch, 2);

  config.train.max_epoch.reset();
  config.train.max_seconds = 1e-9;
  Process seconds(config, corpus_of_pairs(copy_pairs(18)), folder("seconds"));
  EXPECT_EQ(seconds.trainer.run(), "max_seconds");
  EXPECT_EQ(seconds.trainer.state().update, 1);
  EXPECT_EQ(seconds.validations.size(), 1U);  // the end is always validated

  config.train.max_seconds.reset();
  config.train.patience = 2;
  Process patient(config, corpus_of_pairs(copy_pairs(18)), folder("patient"));
  std::vector<double> losses = {3, 2, 2.5, 2};
  patient.instead_of_validating = [&, next = std::size_t{0}]() mutable {
    ValidationPoint point;
    point.nll_loss = losses.at(next++);
    return point;
  };
  EXPECT_EQ(patient.trainer.run(), "patience");
  EXPECT_EQ(patient.trainer.state().update, 20);
  EXPECT_EQ(patient.trainer.state().best.update(), 10);
}

TEST_F(TrainerTest, KeepsFilesAndEvents) {
  RunConfig config = toy_config();
  config.train.max_update = 12;
  config.train.average_last = 2;
  config.train.save_interval_updates = 4;
  Process process(config, corpus_of_pairs(copy_pairs(18)), folder("run"));
  process.trainer.run();
  std::map<CheckpointKind, std::vector<std::int64_t>> files;
  for (const auto& record : process.checkpoints.files()) files[record.kind].push_back(record.num_updates);
  EXPECT_EQ(files[CheckpointKind::state], (std::vector<std::int64_t>{10, 12}));
  EXPECT_EQ(files[CheckpointKind::snapshot], (std::vector<std::int64_t>{10, 12}));
  EXPECT_EQ(files[CheckpointKind::last], std::vector<std::int64_t>{12});
  EXPECT_EQ(files[CheckpointKind::best].size(), 1U);
  std::vector<std::int64_t> trained, validated;
  for (const Event& event : read_events(folder("run") / "events.jsonl")) {
    if (const auto* point = std::get_if<TrainPoint>(&event.body)) trained.push_back(point->num_updates);
    if (const auto* point = std::get_if<ValidationPoint>(&event.body)) validated.push_back(point->num_updates);
  }
  EXPECT_THAT(trained, ::testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_THAT(validated, ::testing::ElementsAre(5, 10, 12));
}

}  // namespace
}  // namespace mha
