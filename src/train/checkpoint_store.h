#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "report/training_report.h"
#include "train/optimizer.h"
#include "train/progress_state.h"
#include "train/weights_file.h"

namespace mha {

/// The checkpoints folder of a run:
///   state-UPDATE.safetensors     weights, moments and progress: what resuming needs; the last few are kept
///   snapshot-UPDATE.safetensors  weights at the last validations, for the average
///   best.safetensors, average.safetensors, last.safetensors
/// Files appear whole or not at all; the previous ones stay until the new one is there.
class CheckpointStore {
 public:
  struct Spec {
    std::filesystem::path folder;
    json model;  // model_identity()
    std::int64_t keep_last = 2, average_last = 0;
  };
  CheckpointStore(Spec spec, ParameterStore& parameters, Optimizer& optimizer);

  void save_state(const ProgressState& progress);
  /// Restores the newest state that is whole; a damaged one is passed over with a warning. False if there is none at
  /// all; UserError if there are some and all are damaged.
  bool restore(ProgressState& progress);

  CheckpointRecord save_best(std::int64_t update);
  CheckpointRecord save_last(std::int64_t update);
  CheckpointRecord save_snapshot(std::int64_t update);
  /// The mean of the snapshots up to `update`; nothing if there are none.
  std::optional<CheckpointRecord> save_average(std::int64_t update);

  std::filesystem::path best() const { return spec_.folder / "best.safetensors"; }
  std::filesystem::path last() const { return spec_.folder / "last.safetensors"; }
  std::filesystem::path average() const { return spec_.folder / "average.safetensors"; }
  const json& model() const { return spec_.model; }
  /// What lies in the folder now.
  std::vector<CheckpointRecord> files() const;

 private:
  CheckpointRecord save_weights(CheckpointKind kind, const std::filesystem::path& path, const at::Tensor& flat,
                                std::int64_t update);
  void restore_from(const std::filesystem::path& path, ProgressState& progress);

  Spec spec_;
  ParameterStore& parameters_;
  Optimizer& optimizer_;
};

}  // namespace mha
