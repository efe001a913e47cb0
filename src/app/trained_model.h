#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/environment.h"
#include "config/config.h"
#include "data/vocabulary.h"
#include "eval/scoring.h"
#include "model/transformer.h"
#include "report/run_folder.h"

namespace mha {

std::unique_ptr<Transformer> build_model(const RunConfig& config, const VocabularyPair& vocabularies,
                                         at::Device device);

/// What weights are made for: see model_identity().
json model_identity_of(const RunConfig& config, const VocabularyPair& vocabularies);

/// The vocabularies that a run keeps in its folder.
void save_vocabularies(const RunFolder& folder, const VocabularyPair& vocabularies);
VocabularyPair load_vocabularies(const RunFolder& folder);

/// A model as a finished (or running) training left it.
struct TrainedModel {
  RunConfig config;
  Environment environment;
  VocabularyPair vocabularies;
  std::unique_ptr<Transformer> model;
  std::filesystem::path weights;
  TextModel text_model() const { return {*model, vocabularies, EncodeOptions::of(config.data, false)}; }
};

struct TrainedModelOptions {
  std::string run;      // run folder, or a .safetensors file in its checkpoints folder
  std::string weights;  // "", "best", "average", "last"
  std::optional<std::int64_t> threads;
  std::optional<std::string> device;
};
/// UserError says what is missing.
TrainedModel load_trained_model(const TrainedModelOptions& options);

}  // namespace mha
