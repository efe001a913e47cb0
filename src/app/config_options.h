#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"

namespace mha {

/// A configuration as the command line gives it: a file and what is laid over it.
struct ConfigArguments {
  std::string config;
  std::vector<std::string> set;
  std::vector<std::string> point;
  std::string run_dir, device;
  std::optional<std::int64_t> seed, threads;
};

/// Adds --config, --set, --run-dir, --seed, --threads and --device.
void add_config_options(CLI::App& app, ConfigArguments& arguments);

/// For options whose empty text, as of a shell variable that is not set, must not pass for an option not given.
CLI::Validator not_empty();

/// Adds KEY=VALUE without --set, in which h and d_k are short for attention.num_heads and attention.d_k.
void add_point(CLI::App& app, ConfigArguments& arguments);

/// What is laid over the file.
std::vector<Assignment> assignments(const ConfigArguments& arguments);

/// Reads and checks it; UserError with all problems, and if a KEY=VALUE such as h would not reach an attention place
/// that has its own.
LoadedConfig load_config(const ConfigArguments& arguments);

/// UserError that names all the data files that are not there.
void require_data_files(const DataConfig& data);

/// The run's folder: run_dir or, where none is given, the default for this configuration.
std::filesystem::path run_root(const LoadedConfig& loaded);

}  // namespace mha
