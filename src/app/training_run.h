#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/config.h"

namespace mha {

struct TrainingRunOptions {
  bool resume = false;
  bool as_json = false;         // print the report instead of the short table
  bool wait = false;            // for another process that uses the run folder, instead of failing
  std::int64_t stop_after = 0;  // pause after so many updates; 0: never
};

/// The main job: vocabulary, data, training, the test at the end, the report. Prints the result on stdout and returns
/// the process's exit code. The report is written however the run ends, once its folder is open.
int run_training(const LoadedConfig& loaded, const TrainingRunOptions& options);

}  // namespace mha
