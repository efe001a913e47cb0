#include "cost/batch_rows.h"

#include <algorithm>

namespace mha {

BatchRows full_batch(const RunConfig& config, const RunShape& shape) {
  constexpr double kPartTokens = 512;  // least target tokens of a part, as in train/batch_runner.cc
  const double longer = std::max(shape.source_length, shape.target_length);
  double sentences = std::max(1.0, static_cast<double>(config.data.max_tokens) / longer);
  if (config.data.max_sentences > 0) sentences = std::min(sentences, static_cast<double>(config.data.max_sentences));
  BatchRows rows{.source = sentences * shape.source_length, .target = sentences * shape.target_length};
  rows.parts = std::clamp(static_cast<int>(rows.target / kPartTokens), 1, std::max(shape.threads, 1));
  return rows;
}

}  // namespace mha
