#include "decode/search_models.h"

#include "decode/packed_search_model.h"
#include "decode/transformer_search_model.h"

namespace mha {
namespace {

WeightFormat weight_format(DecodePrecision precision) {
  switch (precision) {
    case DecodePrecision::bf16:
      return WeightFormat::bf16;
    case DecodePrecision::int8:
      return WeightFormat::int8;
    case DecodePrecision::fp32:
      break;
  }
  return WeightFormat::fp32;
}

}  // namespace

std::vector<SearchModel*> SearchModels::workers() const {
  std::vector<SearchModel*> workers;
  for (const auto& model : owned) workers.push_back(model.get());
  return workers;
}

SearchModels make_search_models(const Transformer& model, const DecodeConfig& config, int threads) {
  SearchModels models;
  if (config.path == DecodePath::generic || !PackedTransformer::supports(model)) {
    models.owned.push_back(std::make_unique<TransformerSearchModel>(model));
    models.path = "generic";
    models.precision = to_string(DecodePrecision::fp32);
    return models;
  }
  const auto packed = std::make_shared<const PackedTransformer>(model, weight_format(config.precision));
  for (int i = 0; i < threads; ++i) models.owned.push_back(std::make_unique<PackedSearchModel>(packed));
  models.path = "packed";
  models.precision = to_string(config.precision);
  return models;
}

}  // namespace mha
