#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "data/corpus.h"

namespace mha {

/// The two shapes that speed is measured at: tiny (4+4 layers, d_model 128) and base (3+3 layers, d_model 512), with
/// batches of at most 4,096 tokens.
struct StandardJob {
  std::string name;
  RunConfig config;
};
std::vector<StandardJob> standard_jobs();

inline constexpr std::int64_t kBenchVocabulary = 8000;

/// Pairs of random pieces as long as those of image captions: 4 to 40, 15 on average.
CorpusPtr random_corpus(std::int64_t pairs);

}  // namespace mha
