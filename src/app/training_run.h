#pragma once

#include <optional>
#include <string>

#include "config/config.h"

namespace mha {

struct TrainingRunOptions {
  bool resume = false;
  bool as_json = false;  // print the report instead of the short table
};

/// The main job: vocabulary, data, training, the test at the end, the report. Prints the result on stdout and returns
/// the process's exit code. The report is written however the run ends, once its folder is open.
int run_training(const LoadedConfig& loaded, const TrainingRunOptions& options);

}  // namespace mha
