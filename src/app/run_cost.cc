#include "app/run_cost.h"

#include <algorithm>
#include <utility>

#include "app/config_options.h"
#include "app/test_run.h"
#include "app/trained_model.h"
#include "cost/memory.h"
#include "cost/parameters.h"
#include "cost/products.h"

namespace mha {
namespace {

void set_machine(const Environment& environment, RunShape& shape) {
  shape.bf16 = environment.dtype == at::kBFloat16;
  shape.threads = environment.threads;
}

}  // namespace

RunShape shape_on(const RunConfig& config, const Environment& environment) {
  RunShape shape = planned_shape(config);
  set_machine(environment, shape);
  const auto read_size = [](const std::filesystem::path& file, std::int64_t& size) {
    if (!file.empty()) size = load_vocabulary(file)->size();
  };
  read_size(config.vocab.model, shape.source_vocab);
  read_size(config.vocab.model, shape.target_vocab);
  read_size(config.vocab.source_model, shape.source_vocab);
  read_size(config.vocab.target_model, shape.target_vocab);
  return shape;
}

RunShape shape_of(const Environment& environment, const VocabularyPair& vocabularies, const EncodedCorpus& train) {
  RunShape shape;
  set_machine(environment, shape);
  shape.source_vocab = vocabularies.source->size();
  shape.target_vocab = vocabularies.target->size();
  shape.pairs = train.size();
  shape.source_length = static_cast<double>(train.counts().source_tokens) / static_cast<double>(train.size());
  shape.target_length = static_cast<double>(train.counts().target_tokens) / static_cast<double>(train.size());
  return shape;
}

RunShape shape_from_data(const LoadedConfig& loaded, const Environment& environment) {
  const DataConfig& data = loaded.config.data;
  require_data_files(data);
  const std::filesystem::path cache = cache_folder(loaded.config, run_root(loaded));
  const VocabularyPair vocabularies = make_vocabularies(loaded.config.vocab, data, cache);
  const auto open = [&](const SplitConfig& split, const char* name, bool training) {
    return open_corpus(split, name, vocabularies, encode_options(loaded.config, environment, training), cache);
  };
  RunShape shape = shape_of(environment, vocabularies, *open(data.train, "train", true));
  for (const auto& [split, name] : {std::pair(&data.valid, "valid"), std::pair(&data.test, "test")}) {
    if (!split->given()) continue;
    const auto tokens = static_cast<double>(open(*split, name, false)->counts().source_tokens);
    shape.evaluated_tokens = std::max(shape.evaluated_tokens, tokens);
  }
  return shape;
}

RunCost run_cost(const RunConfig& config, const RunShape& shape, const std::optional<TrainingRate>& rate) {
  RunCost cost;
  cost.parameters = parameter_count(config, shape);
  cost.train_flops_per_token = train_flops_per_token(config, shape);
  cost.decode_flops_per_token = decode_flops_per_token(config, shape);
  cost.memory_bytes = total(expected_memory(config, shape));
  if (rate) cost.seconds = expected_seconds(config, shape, *rate);
  return cost;
}

}  // namespace mha
