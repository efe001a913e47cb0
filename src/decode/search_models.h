#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/train_config.h"
#include "decode/search_model.h"
#include "model/transformer.h"

namespace mha {

/// A model made ready for searches: one search model for each thread, which share their weights. The packed path copies
/// the weights as they are now.
struct SearchModels {
  std::vector<std::unique_ptr<SearchModel>> owned;
  std::string path;       // "packed" or "generic"
  std::string precision;  // of the matrix products

  std::vector<SearchModel*> workers() const;
};

/// As the configuration asks: packed if the model has that form, with `threads` workers; else generic with one worker,
/// which LibTorch's own threads help.
SearchModels make_search_models(const Transformer& model, const DecodeConfig& config, int threads);

}  // namespace mha
