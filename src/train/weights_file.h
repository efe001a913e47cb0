#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/parameters.h"
#include "report/safetensors.h"

namespace mha {

/// Format names and versions of the files in a run's checkpoints folder.
inline constexpr const char* kWeightsFormat = "mha-train/weights";
inline constexpr const char* kStateFormat = "mha-train/state";
inline constexpr const char* kCheckpointVersion = "1";

/// Keys of a model's identity that whoever has the vocabularies adds: weights are of no use with others of equal sizes.
/// Files without them are not asked for them.
inline constexpr const char* kSourceVocabularyHash = "source_vocab_hash";
inline constexpr const char* kTargetVocabularyHash = "target_vocab_hash";

/// What a weights file says about itself.
struct WeightsInfo {
  json model;  // what decides shapes and meaning of the weights: see model_identity()
  std::int64_t update = 0;
};

/// The part of a resolved configuration that the weights depend on, with the vocabulary sizes: model and attention. Two
/// models of equal shapes but different heads differ here.
json model_identity(const json& resolved_config, std::int64_t source_vocab, std::int64_t target_vocab);

/// After how many updates the file was made. UserError if it does not say so.
std::int64_t update_of(const SafetensorsFile& file, const std::filesystem::path& path);

/// One TensorBytes per parameter, taken from `flat` (values or a moment) under prefix + name.
void append_tensors(const ParameterStore& parameters, const at::Tensor& flat, const std::string& prefix,
                    std::vector<TensorBytes>& out);

/// Writes the parameters (from `flat`, a buffer like flat_values()) as a weights file.
void write_weights(const std::filesystem::path& path, const ParameterStore& parameters, const at::Tensor& flat,
                   const WeightsInfo& info);

/// Reads a weights (or state) file into the parameters. UserError names the file and the first thing that differs: the
/// model's configuration, a missing or additional tensor, a shape.
void read_weights(const SafetensorsFile& file, const std::filesystem::path& path, const json& expected_model,
                  ParameterStore& parameters);
WeightsInfo read_weights(const std::filesystem::path& path, const json& expected_model, ParameterStore& parameters);

/// Copies prefix + name of every parameter into `flat`.
void read_tensors(const SafetensorsFile& file, const std::filesystem::path& path, const std::string& prefix,
                  const ParameterStore& parameters, at::Tensor& flat);

/// The mean of several weights files into `flat`, added up in double.
void average_weights(std::span<const std::filesystem::path> files, const json& expected_model,
                     const ParameterStore& parameters, at::Tensor& flat);

}  // namespace mha
