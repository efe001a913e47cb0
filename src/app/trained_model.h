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

/// How the texts of a run are encoded; `training`: those that it trains on.
EncodeOptions encode_options(const RunConfig& config, const Environment& environment, bool training);

/// Which weights the test of a run is scored with, and a finished run is used with: train.final_weights with
/// `automatic` resolved. `average`, `best`: whether there are such weights.
FinalWeights final_weights(const TrainConfig& config, bool average, bool best);

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
  std::filesystem::path run_folder, weights;  // absolute
  TextModel text_model() const { return {*model, vocabularies, encode_options(config, environment, false)}; }
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
