#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "report/training_report.h"

namespace mha {

enum class SweepRunStatus {
  pending,
  running,
  done,
  failed,
  diverged,
  out_of_memory,
  interrupted,
  invalid,
  excluded,
  cut
};
constexpr std::array<std::string_view, 10> enum_names(SweepRunStatus) {
  return {"pending",       "running",     "done",    "failed",   "diverged",
          "out_of_memory", "interrupted", "invalid", "excluded", "cut"};
}

/// What a run is expected to cost, from its configuration alone.
struct RunCost {
  std::int64_t parameters = 0;
  double train_flops_per_token = kUnknown, decode_flops_per_token = kUnknown;
  std::int64_t memory_bytes = 0;
  double seconds = kUnknown;

  template <class V>
  static void fields(V& v) {
    using T = RunCost;
    v(&T::parameters, "parameters", "", "Trained parameters; a shared matrix counts once.");
    v(&T::train_flops_per_token, "train_flops_per_token", "FLOPs / target token",
      "Matrix products of training, forward and backward; a multiply-add is two.");
    v(&T::decode_flops_per_token, "decode_flops_per_token", "FLOPs / target token",
      "Matrix products of greedy decoding with caches.");
    v(&T::memory_bytes, "memory_bytes", "bytes", "Expected peak of resident memory.");
    v(&T::seconds, "seconds", "seconds", "Expected wall time; null if this machine's rate is not known.");
  }
};

/// One training of a sweep: a cell of the grid and a seed.
struct SweepRun {
  std::string id, cell;
  json point = json::object();
  std::int64_t seed = 0;
  SweepRunStatus status = SweepRunStatus::pending;
  std::string reason, run_dir, log;
  std::int64_t attempts = 0;
  std::optional<std::int64_t> exit_code;
  double wall = 0;
  RunCost cost;

  template <class V>
  static void fields(V& v) {
    using T = SweepRun;
    v(&T::id, "id", "", "The run: first 12 digits of its configuration's hash.");
    v(&T::cell, "cell", "", "The cell: what the runs of all seeds of one point have in common, as h=8,d_k=64.");
    v(&T::point, "point", "", "Value on each axis but the seed, by the axis' name.");
    v(&T::seed, "seed", "", "Its seed.");
    v(&T::status, "status", "",
      "`pending`, `running`, `done`, `failed`, `diverged`, `out_of_memory`, `interrupted`; `invalid`: a configuration "
      "that cannot be trained; `excluded` by the plan; `cut` by successive halving.");
    v(&T::reason, "reason", "", "Why, in words, unless pending, running or done.");
    v(&T::run_dir, "run_dir", "", "Its run folder, relative to the sweep's.");
    v(&T::log, "log", "", "What it wrote to stderr, relative to the sweep's folder.");
    v(&T::attempts, "attempts", "", "How often it was started.");
    v(&T::exit_code, "exit_code", "", "What its last process returned, 128 + signal if that ended it; null before.");
    v(&T::wall, "wall", "seconds", "Wall time over all attempts.");
    v(&T::cost, "cost", "", "What was expected of it.");
  }
};

/// sweep.json: the plan of a grid and what became of each run.
struct SweepFile {
  std::string name, command, hold, baseline;
  json base = json::object(), axes = json::object();
  std::vector<SweepRun> runs;

  template <class V>
  static void fields(V& v) {
    using T = SweepFile;
    v(&T::name, "name", "", "Name of the sweep.");
    v(&T::command, "command", "", "The command line that made it, as one would type it; empty if it is not known.");
    v(&T::hold, "hold", "", "What is held fixed over the grid: `nothing`, `h*d_k`, `params` or `flops`.");
    v(&T::baseline, "baseline", "", "The cell that the others are compared with.");
    v(&T::base, "base", "", "The configuration that the points are laid over, as resolved.");
    v(&T::axes, "axes", "", "Values of each axis as planned, by its name; `seed` among them.");
    v(&T::runs, "runs", "", "Every run, cells in the order of the plan, seeds within a cell.");
  }
};

/// The reason of a run without a result whose value was taken off its axis; tables leave it out.
inline constexpr const char* kNotInGrid = "not in the grid any more";

inline constexpr const char* kSweepFormat = "mha-train/sweep";
inline constexpr std::int64_t kSweepFormatVersion = 1;

/// "format" and "format_version" first, then the table's keys.
json sweep_to_json(const SweepFile& sweep);
/// UserError naming `origin` and the key if this is not such a file, or one of a version that is not read.
SweepFile sweep_from_json(const json& in, const std::string& origin);
/// Strict JSON, by temporary file and rename.
void write_sweep(const SweepFile& sweep, const std::filesystem::path& file);
SweepFile read_sweep(const std::filesystem::path& file);
/// JSON Schema (draft 2020-12) of sweep.json.
json sweep_schema();

}  // namespace mha
