#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "config/data_config.h"
#include "config/fields.h"
#include "config/model_config.h"
#include "config/sweep_config.h"
#include "config/train_config.h"

namespace mha {

enum class Device { automatic, cpu, cuda };
constexpr std::array<std::string_view, 3> enum_names(Device) { return {"auto", "cpu", "cuda"}; }

struct RunConfig {
  std::string name;
  std::int64_t seed = 1;
  std::string run_dir;
  Device device = Device::automatic;
  std::int64_t threads = 0;
  DataConfig data;
  VocabConfig vocab;
  ModelConfig model;
  AttentionConfig attention;
  OptimizerConfig optimizer;
  TrainConfig train;
  DecodeConfig decode;
  ScoreConfig score;

  template <class V>
  static void fields(V& v) {
    v(&RunConfig::name, "name", any(), "Name of the run; empty: the configuration file's name.");
    v(&RunConfig::seed, "seed", range(0, 4294967295.0), "Seed of everything random in the run.");
    v(&RunConfig::run_dir, "run_dir", any(), "Folder of the run; empty: runs/NAME-HASH.");
    v(&RunConfig::device, "device", any(), "`auto`: cuda if there is one, else cpu.");
    v(&RunConfig::threads, "threads", range(0, 1024), "Processor threads; 0: all that this process may use.");
    v(&RunConfig::data, "data", any(), "Corpora and batches.");
    v(&RunConfig::vocab, "vocab", any(), "Vocabulary.");
    v(&RunConfig::model, "model", any(), "Shape of the Transformer.");
    v(&RunConfig::attention, "attention", any(), "Attention, everywhere or by place.");
    v(&RunConfig::optimizer, "optimizer", any(), "Optimizer and learning rate.");
    v(&RunConfig::train, "train", any(), "Training, validation and checkpoints.");
    v(&RunConfig::decode, "decode", any(), "Search for the best translation.");
    v(&RunConfig::score, "score", any(), "Comparison with the references.");
  }
  bool operator==(const RunConfig&) const = default;
};

/// A whole configuration file: a run, and the grid of runs that `mha-train sweep` lays over it.
struct FileConfig : RunConfig {
  SweepConfig sweep;

  template <class V>
  static void fields(V& v) {
    RunConfig::fields(v);
    v(&FileConfig::sweep, "sweep", any(), "The grid of `mha-train sweep`; nothing else reads it.");
  }
  bool operator==(const FileConfig&) const = default;
};

/// Rules across keys that can be told without reading any data: what would make a model that cannot be built, a search
/// that cannot run, a training without an end. `kinds`: the registered attention kinds.
void check_config(const RunConfig& config, const std::vector<std::string>& kinds, Problems& problems);

/// `--set attention.num_heads=4`: path and value; a value that is not JSON is taken as a string.
struct Assignment {
  std::string path, value;
  std::string origin = "--set";
  bool malformed = false;             // has no KEY=; `path` is all of it
  std::filesystem::path folder = {};  // where a relative path starts; empty: the working folder
};
/// "KEY=VALUE" as --set takes it. What has no KEY= is refused by load_config, with all the other problems.
Assignment parse_assignment(const std::string& text);

/// A configuration and where each of its keys was set ("configs/x.json", "--set"; absent: the default).
struct LoadedConfig {
  RunConfig config;
  SweepConfig sweep;
  json resolved;                                             // every key of `config`, defaults filled in
  std::vector<std::pair<std::string, std::string>> origins;  // path -> origin
};

/// Reads FILE with everything it `extends` (relative to the file that says so), lays `assignments` over it, checks all
/// of it. Input paths are relative to the file that names them, those of --set to the working folder; they come out
/// absolute, so that a run can be resumed from anywhere. An empty name becomes that of the file. Throws UserError
/// listing every problem, each with path, origin and suggestion.
LoadedConfig load_config(const std::filesystem::path& file, const std::vector<Assignment>& assignments,
                         const std::vector<std::string>& kinds);

/// load_config without the rules across keys: a configuration that the points of a sweep may first make whole.
LoadedConfig read_config(const std::filesystem::path& file, const std::vector<Assignment>& assignments);

/// What is wrong with a key or its value whatever the other keys are.
Problems assignment_problems(const Assignment& assignment);

/// A resolved configuration as a run folder or checkpoint keeps it.
RunConfig config_from_json(const json& resolved, const std::string& origin);
json config_to_json(const RunConfig& config);

/// JSON Schema (draft 2020-12) of a configuration file.
json config_schema();
/// Markdown reference of every key, generated from the tables.
std::string config_markdown();

}  // namespace mha
