#include "app/trained_model.h"

#include <array>

#include "base/error.h"
#include "base/file.h"
#include "train/weights_file.h"

namespace mha {
namespace {

/// The weights to use when none are named: those that the test is scored with; in a run that has not got to them yet,
/// others.
std::filesystem::path choose_weights(const RunFolder& folder, const std::string& name, const TrainConfig& config) {
  const auto file = [&](const std::string& stem) { return folder.checkpoints() / (stem + ".safetensors"); };
  if (!name.empty()) return file(name);
  const auto is_there = [&](const std::string& stem) { return std::filesystem::exists(file(stem)); };
  const std::string wanted = to_string(final_weights(config, is_there("average"), is_there("best")));
  for (const std::string& stem : {wanted, std::string("average"), std::string("best"), std::string("last")}) {
    if (is_there(stem)) return file(stem);
  }
  throw UserError(folder.root().string() + " has no weights yet (checkpoints/average, best or last.safetensors)");
}

}  // namespace

std::unique_ptr<Transformer> build_model(const RunConfig& config, const VocabularyPair& vocabularies,
                                         at::Device device) {
  return std::make_unique<Transformer>(Transformer::Spec{.model = config.model,
                                                         .attention = config.attention,
                                                         .source_vocab = vocabularies.source->size(),
                                                         .target_vocab = vocabularies.target->size(),
                                                         .pad = SpecialIds::pad,
                                                         .seed = static_cast<std::uint64_t>(config.seed)},
                                       device);
}

EncodeOptions encode_options(const RunConfig& config, const Environment& environment, bool training) {
  EncodeOptions options = EncodeOptions::of(config.data, training);
  options.threads = environment.threads;
  return options;
}

FinalWeights final_weights(const TrainConfig& config, bool average, bool best) {
  if (config.final_weights != FinalWeights::automatic) return config.final_weights;
  if (average && config.average_last > 1) return FinalWeights::average;
  return best ? FinalWeights::best : FinalWeights::last;
}

json model_identity_of(const RunConfig& config, const VocabularyPair& vocabularies) {
  json identity = model_identity(config_to_json(config), vocabularies.source->size(), vocabularies.target->size());
  identity[kSourceVocabularyHash] = vocabularies.source->hash();
  identity[kTargetVocabularyHash] = vocabularies.target->hash();
  return identity;
}

void save_vocabularies(const RunFolder& folder, const VocabularyPair& vocabularies) {
  // Removed: what an earlier start that failed had the other way.
  std::error_code ignored;
  if (vocabularies.joint()) {
    write_file(folder.joint_vocabulary(), vocabularies.source->serialized());
    std::filesystem::remove(folder.source_vocabulary(), ignored);
    std::filesystem::remove(folder.target_vocabulary(), ignored);
    return;
  }
  write_file(folder.source_vocabulary(), vocabularies.source->serialized());
  write_file(folder.target_vocabulary(), vocabularies.target->serialized());
  std::filesystem::remove(folder.joint_vocabulary(), ignored);
}

VocabularyPair load_vocabularies(const RunFolder& folder) {
  if (std::filesystem::exists(folder.joint_vocabulary())) {
    const VocabularyPtr joint = load_vocabulary(folder.joint_vocabulary());
    return {joint, joint};
  }
  return {load_vocabulary(folder.source_vocabulary()), load_vocabulary(folder.target_vocabulary())};
}

TrainedModel load_trained_model(const TrainedModelOptions& options) {
  const bool is_file = options.run.ends_with(".safetensors");
  if (is_file && !options.weights.empty())
    throw UserError("--weights names weights in a run folder; " + options.run + " is a file already");
  const std::filesystem::path given = std::filesystem::absolute(options.run).lexically_normal();
  const RunFolder folder(is_file ? given.parent_path().parent_path() : given);
  if (!std::filesystem::exists(folder.config())) {
    throw UserError(folder.root().string() +
                    " is no run folder: it has no config.json (give the folder that training wrote)");
  }
  TrainedModel trained;
  trained.config = config_from_json(read_json(folder.config()), folder.config().string());
  if (options.threads) trained.config.threads = *options.threads;
  if (options.device)
    trained.config.device = *options.device == "cpu"    ? Device::cpu
                            : *options.device == "cuda" ? Device::cuda
                                                        : Device::automatic;
  trained.environment = set_up_environment(trained.config);
  trained.vocabularies = load_vocabularies(folder);
  trained.model = build_model(trained.config, trained.vocabularies, trained.environment.device);
  trained.run_folder = folder.root();
  trained.weights = is_file ? given : choose_weights(folder, options.weights, trained.config.train);
  read_weights(trained.weights, model_identity_of(trained.config, trained.vocabularies), trained.model->parameters());
  return trained;
}

}  // namespace mha
