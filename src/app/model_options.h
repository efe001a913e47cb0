#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "app/trained_model.h"
#include "config/train_config.h"

namespace mha {

/// The options of the commands that use a trained model.
struct ModelArguments {
  TrainedModelOptions model;
  std::optional<std::int64_t> beam, nbest, max_tokens, min_len, max_len_b;
  std::optional<double> lenpen, max_len_a;
  std::optional<std::string> precision, path, lenpen_type;
};

void add_model_options(CLI::App& command, ModelArguments& arguments);

/// The run's decode section with what the command line says laid over it; UserError if that cannot be searched with.
DecodeConfig search_settings(const ModelArguments& arguments, const DecodeConfig& from_run);

}  // namespace mha
