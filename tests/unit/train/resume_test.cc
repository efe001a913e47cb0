// A run that was stopped and resumed equals one that was not, bit by bit, wherever it was stopped.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "base/error.h"
#include "unit/train/train_testing.h"

namespace mha {
namespace {

using testing::copy_pairs;
using testing::Process;
using testing::same_bytes;
using testing::toy_config;
using testing::WatchedCorpus;

/// 26 pairs: seven batches, four updates a pass, the last of them with one batch. Nothing is at its default.
RunConfig config_of_run() {
  RunConfig config = toy_config();
  config.train.update_freq = 2;
  config.train.average_last = 2;
  config.optimizer.betas = {0.5, 0.6};
  config.optimizer.eps = 1e-4;
  config.optimizer.weight_decay = 0.01;
  config.optimizer.clip_norm = 1.0;
  return config;
}

class Resume : public testing::TrainTest {
 protected:
  CorpusPtr corpus_ = corpus_of_pairs(copy_pairs(26));

  /// Runs until it stops by itself; false if it was interrupted.
  static bool run(Process& process) {
    try {
      process.trainer.run();
      return true;
    } catch (const Interrupted&) {
      request_stop(0);
      return false;
    }
  }

  static void expect_same_training(Process& straight, Process& resumed, const std::map<std::int64_t, double>& before) {
    std::map<std::int64_t, double> losses = before;
    for (const auto& [update, loss] : resumed.losses()) losses[update] = loss;
    EXPECT_EQ(losses, straight.losses());
    EXPECT_TRUE(same_bytes(straight.model.parameters().flat_values(), resumed.model.parameters().flat_values()));
    EXPECT_TRUE(same_bytes(straight.optimizer.first_moment(), resumed.optimizer.first_moment()));
    EXPECT_TRUE(same_bytes(straight.optimizer.second_moment(), resumed.optimizer.second_moment()));
    const ProgressState &a = straight.trainer.state(), &b = resumed.trainer.state();
    EXPECT_EQ(a.best.value(), b.best.value());
    EXPECT_EQ(a.best.update(), b.best.update());
    EXPECT_EQ(a.best.without_improvement(), b.best.without_improvement());
    EXPECT_EQ(a.position(), b.position());
    EXPECT_EQ(a.total.target_tokens, b.total.target_tokens);
    EXPECT_EQ(a.total.loss, b.total.loss);
  }

  /// What an events file says of the course of training, without times.
  static std::vector<std::string> course(const std::filesystem::path& folder) {
    std::vector<std::string> lines;
    for (const Event& event : read_events(folder / "events.jsonl")) {
      if (const auto* train = std::get_if<TrainPoint>(&event.body)) {
        lines.push_back(
            "train " +
            json{train->num_updates, train->epoch, train->loss, train->gnorm, train->lr, train->target_tokens}.dump());
      } else if (const auto* valid = std::get_if<ValidationPoint>(&event.body)) {
        lines.push_back("validation " + json{valid->num_updates, valid->nll_loss, valid->best}.dump());
      } else if (const auto* file = std::get_if<CheckpointRecord>(&event.body)) {
        lines.push_back(file->file + " " + std::to_string(file->num_updates));
      }
    }
    return lines;
  }
};

TEST_F(Resume, SeventeenAndTwentyThreeAreForty) {
  Process straight(config_of_run(), corpus_, folder("straight"));
  ASSERT_TRUE(run(straight));
  ASSERT_EQ(straight.losses().size(), 40U);

  const auto path = folder("split");
  Process first(config_of_run(), corpus_, path);
  EXPECT_FALSE(first.trainer.resume());
  first.after_update = [](std::int64_t update) {
    if (update == 17) request_stop(SIGTERM);
  };
  ASSERT_FALSE(run(first));
  EXPECT_EQ(first.trainer.state().update, 17);
  EXPECT_NE(first.trainer.state().next_batch, 0);  // in the middle of a pass

  Process second(config_of_run(), corpus_, path);
  ASSERT_TRUE(second.trainer.resume());
  EXPECT_EQ(second.trainer.state().restarts, 1);
  ASSERT_TRUE(run(second));
  EXPECT_EQ(second.losses().size(), 23U);
  expect_same_training(straight, second, first.losses());
  EXPECT_EQ(course(path), course(folder("straight")));
  for (const char* name : {"best", "last", "snapshot-0000035", "snapshot-0000040"}) {
    const std::string file = "checkpoints/" + std::string(name) + ".safetensors";
    EXPECT_EQ(read_file(path / file), read_file(folder("straight") / file)) << name;
  }
}

TEST_F(Resume, ThePeakOfMemoryIsThatOfAllProcesses) {
  const auto path = folder("peak");
  Process first(config_of_run(), corpus_, path);
  first.after_update = [](std::int64_t update) {
    if (update == 3) request_stop(SIGTERM);
  };
  ASSERT_FALSE(run(first));
  ProgressState state = first.trainer.state();
  EXPECT_GT(state.peak_resident_bytes, 0);
  constexpr std::int64_t huge = 1LL << 50;
  state.peak_resident_bytes = huge;
  first.checkpoints.save_state(state);
  Process second(config_of_run(), corpus_, path);
  ASSERT_TRUE(second.trainer.resume());
  ASSERT_TRUE(run(second));
  EXPECT_EQ(second.trainer.state().peak_resident_bytes, huge);
}

TEST_F(Resume, AfterEveryUpdate) {
  RunConfig config = config_of_run();
  config.train.max_update = 12;
  Process straight(config, corpus_, folder("straight"));
  ASSERT_TRUE(run(straight));
  const auto path = folder("pieces");
  std::map<std::int64_t, double> losses;
  for (bool finished = false; !finished;) {
    Process piece(config, corpus_, path);
    piece.trainer.resume();
    piece.after_update = [](std::int64_t) { request_stop(SIGINT); };
    finished = run(piece);
    losses.merge(piece.losses());
    if (finished) expect_same_training(straight, piece, losses);
  }
  EXPECT_EQ(losses.size(), 12U);
  EXPECT_EQ(course(path), course(folder("straight")));
}

// The process dies without a chance to save: the run goes on from the state of the last validation.
TEST_F(Resume, AfterASuddenDeath) {
  Process straight(config_of_run(), corpus_, folder("straight"));
  ASSERT_TRUE(run(straight));
  const auto path = folder("killed");
  Process killed(config_of_run(), corpus_, path);
  killed.after_update = [](std::int64_t update) {
    if (update == 18) throw std::runtime_error("killed");
  };
  EXPECT_THROW(killed.trainer.run(), std::runtime_error);
  Process second(config_of_run(), corpus_, path);
  ASSERT_TRUE(second.trainer.resume());
  EXPECT_EQ(second.trainer.state().update, 15);
  ASSERT_TRUE(run(second));
  expect_same_training(straight, second, killed.losses());
  EXPECT_EQ(course(path), course(folder("straight")));
}

// Also without a new process: what was read of the interrupted update is read again.
TEST_F(Resume, InTheMiddleOfAnUpdate) {
  Process straight(config_of_run(), corpus_, folder("straight"));
  ASSERT_TRUE(run(straight));
  const auto path = folder("split");
  // The second pass is read from 53 on: 26 to order it, then four a batch. Read 80 is in the first batch of its update.
  const auto watched = std::make_shared<WatchedCorpus>(corpus_, [](std::int64_t read) {
    if (read == 80) request_stop(SIGUSR1);
  });
  Process first(config_of_run(), watched, path);
  ASSERT_FALSE(run(first));
  EXPECT_EQ(first.trainer.state().update, 4);
  EXPECT_EQ(first.trainer.state().position(), (BatchPosition{2, 0}));
  Process second(config_of_run(), corpus_, path);
  ASSERT_TRUE(second.trainer.resume());
  ASSERT_TRUE(run(second));
  expect_same_training(straight, second, first.losses());
  EXPECT_EQ(course(path), course(folder("straight")));
  ASSERT_TRUE(run(first));
  expect_same_training(straight, first, {});
}

TEST_F(Resume, InTheMiddleOfAValidation) {
  Process straight(config_of_run(), corpus_, folder("straight"));
  ASSERT_TRUE(run(straight));
  for (const std::int64_t at : {10, 40}) {  // 40: the last
    const auto path = folder("split" + std::to_string(at));
    Process first(config_of_run(), corpus_, path);
    first.after_update = [&](std::int64_t update) {
      if (update != at) return;
      first.instead_of_validating = []() -> ValidationPoint { throw Interrupted(SIGTERM); };
    };
    ASSERT_FALSE(run(first));
    EXPECT_EQ(first.trainer.state().update, at);
    Process second(config_of_run(), corpus_, path);
    ASSERT_TRUE(second.trainer.resume());
    ASSERT_TRUE(run(second));
    expect_same_training(straight, second, first.losses());
    EXPECT_EQ(course(path), course(folder("straight")));
  }
}

TEST_F(Resume, OtherTrainingDataAreRefused) {
  const auto path = folder("run");
  Process first(config_of_run(), corpus_, path);
  first.after_update = [](std::int64_t update) {
    if (update == 3) request_stop(SIGTERM);
  };
  ASSERT_FALSE(run(first));
  Process second(config_of_run(), corpus_of_pairs(copy_pairs(27)), path);
  const std::string message = testing::message_of([&] { second.trainer.resume(); });
  EXPECT_THAT(message, ::testing::HasSubstr("training data"));
  EXPECT_THAT(message, ::testing::HasSubstr("--run-dir"));
}

TEST_F(Resume, AFinishedRunChangesNothing) {
  Process straight(config_of_run(), corpus_, folder("straight"));
  ASSERT_TRUE(run(straight));
  Process again(config_of_run(), corpus_, folder("straight"));
  ASSERT_TRUE(again.trainer.resume());
  EXPECT_EQ(again.trainer.run(), "max_update");
  EXPECT_TRUE(again.losses().empty());
  EXPECT_TRUE(again.validations.empty());
  EXPECT_TRUE(same_bytes(straight.model.parameters().flat_values(), again.model.parameters().flat_values()));
}

TEST_F(Resume, TheBestStaysTheBest) {
  RunConfig config = config_of_run();
  config.train.max_update = 15;
  config.train.patience = 3;
  const auto path = folder("run");
  const auto losing = [](double loss) {
    return [loss] {
      ValidationPoint point;
      point.nll_loss = loss;
      return point;
    };
  };
  Process first(config, corpus_, path);
  first.instead_of_validating = losing(2);
  first.after_update = [](std::int64_t update) {
    if (update == 7) request_stop(SIGTERM);
  };
  ASSERT_FALSE(run(first));
  const std::string best = read_file(path / "checkpoints/best.safetensors");
  Process second(config, corpus_, path);
  ASSERT_TRUE(second.trainer.resume());
  second.instead_of_validating = losing(3);
  ASSERT_TRUE(run(second));
  EXPECT_EQ(read_file(path / "checkpoints/best.safetensors"), best);
  EXPECT_EQ(second.trainer.state().best.update(), 5);
  EXPECT_EQ(second.trainer.state().best.without_improvement(), 2);
}

// What is validated, and how often, leaves no trace in the training.
TEST_F(Resume, ValidationsDoNotChangeTheTraining) {
  RunConfig five = config_of_run(), seven = config_of_run(), never = config_of_run();
  seven.train.validate_interval_updates = 7;
  never.train.validate_interval_updates = 0;
  never.train.average_last = 0;
  Process a(five, corpus_, folder("five")), b(seven, corpus_, folder("seven")), c(never, corpus_, folder("never"));
  ASSERT_TRUE(run(a) && run(b) && run(c));
  EXPECT_EQ(a.validations.size(), 8U);
  EXPECT_EQ(b.validations.size(), 6U);
  EXPECT_EQ(c.validations.size(), 1U);
  EXPECT_EQ(a.losses(), b.losses());
  EXPECT_EQ(a.losses(), c.losses());
  EXPECT_TRUE(same_bytes(a.model.parameters().flat_values(), b.model.parameters().flat_values()));
  EXPECT_EQ(a.validate().nll_loss, a.validate().nll_loss);
  EXPECT_EQ(a.validate().nll_loss, a.validations.back().nll_loss);
}

TEST_F(Resume, SeedsDiffer) {
  RunConfig one = config_of_run(), two = config_of_run();
  two.seed = 2;
  Process a(one, corpus_, folder("one")), b(two, corpus_, folder("two"));
  ASSERT_TRUE(run(a) && run(b));
  EXPECT_NE(a.losses(), b.losses());
}

}  // namespace
}  // namespace mha
