#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "config/config.h"
#include "data/batch.h"
#include "model/transformer.h"
#include "report/events.h"
#include "train/batch_runner.h"
#include "train/checkpoint_store.h"
#include "train/optimizer.h"
#include "train/progress_state.h"

namespace mha {

/// More updates than allowed had a loss or gradient that was not finite, or training ended with weights that give none.
class Diverged : public CheckFailed {
 public:
  using CheckFailed::CheckFailed;
};

/// The training stands at the update that it was told to stop after; its state is saved.
class Paused : public std::runtime_error {
 public:
  explicit Paused(std::int64_t update);
};

/// Watches a training; changes nothing.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void on_update(const ProgressState&, const TrainPoint& /*since the last point*/) {}
  virtual void on_point(const ProgressState&, const TrainPoint&) {}
  virtual void on_validation(const ValidationPoint&) {}
};

/// Scores the model as it is; fills nll_loss, ppl, bleu, sentences and target_tokens.
using Validate = std::function<ValidationPoint()>;

/// Trains until the configuration says stop. What must be reduced over processes once there are several, is in one
/// place: the flat gradients and an UpdateSums per update (Trainer::accumulate), and why_stop().
class Trainer {
 public:
  struct Parts {
    Transformer& model;
    Optimizer& optimizer;
    CorpusPtr corpus;
    CheckpointStore& checkpoints;
    EventLog& events;
    TrainObserver& observer;
    Validate validate;  // empty: no validation split
    at::ScalarType dtype = at::kFloat;
    int threads = 1;
    std::int64_t stop_after = 0;  // pause after so many updates unless training ends before; 0: never
  };
  Trainer(const RunConfig& config, Parts parts);

  /// Goes on from the newest saved state, cutting the events back to it. False if there is none. UserError if the
  /// training data are others.
  bool resume();
  /// Trains to the end; why it ended ("max_update", "patience", …). On Interrupted and Paused the state is saved first;
  /// Diverged and every other exception leave the last saved state.
  std::string run();
  const ProgressState& state() const { return state_; }
  std::int64_t gradient_bytes() const { return runner_.gradient_bytes(); }

 private:
  std::optional<std::string> why_stop() const;
  bool validation_due() const;
  UpdateSums accumulate(std::int64_t number);
  void train_update();
  void finish_update(const UpdateSums& sums, double gnorm, double lr);
  void skip_update(const std::string& what);
  /// The end of a message: where, how often, what to do.
  std::string remedy() const;
  TrainPoint point(const UpdateSums& sums) const;
  void log_point();
  void run_validation();
  void save_state();

  const RunConfig& config_;
  Parts parts_;
  BatchSequence batches_;
  BatchRunner runner_;
  ProgressState state_;
  double last_lr_ = 0;
  Stopwatch process_watch_;
  double seconds_before_ = 0;  // wall time of earlier processes of the run
};

}  // namespace mha
