#include "app/run_cost.h"

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
