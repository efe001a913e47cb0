#pragma once

#include <cstdint>
#include <optional>

#include "config/train_config.h"
#include "report/progress.h"
#include "train/trainer.h"

namespace mha {

/// Shows the progress of training on stderr.
class ProgressObserver : public TrainObserver {
 public:
  explicit ProgressObserver(const TrainConfig& config)
      : max_update_(config.max_update), max_epoch_(config.max_epoch), max_seconds_(config.max_seconds) {}
  /// Pairs of a pass; without them a training that only max_epoch ends has no ETA.
  void set_pairs(std::int64_t pairs) { pairs_ = pairs; }
  void on_update(const ProgressState& state, const TrainPoint& point) override;
  void on_point(const ProgressState& state, const TrainPoint& point) override;
  void on_validation(const ValidationPoint& validation) override;
  void clear() { line_.clear(); }

 private:
  Progress progress(const ProgressState& state, const TrainPoint& point) const;

  std::optional<std::int64_t> max_update_, max_epoch_;
  std::optional<double> max_seconds_;
  std::int64_t pairs_ = 0;
  ProgressLine line_;
};

}  // namespace mha
