#include "standard_jobs.h"

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "data/vocabulary.h"

namespace mha {
namespace {

RunConfig shape(std::int64_t layers, std::int64_t d_model, std::int64_t d_ff, std::int64_t heads) {
  RunConfig config;
  config.model.encoder_layers = config.model.decoder_layers = layers;
  config.model.d_model = d_model;
  config.model.d_ff = d_ff;
  config.model.dropout = 0.3;
  config.model.norm = NormPlace::post;
  config.model.share_all_embeddings = true;
  config.attention.num_heads = heads;
  config.data.max_tokens = 4096;
  config.train.label_smoothing = 0.1;
  return config;
}

std::vector<TokenId> sentence(RandomStream& random) {
  // The sum of three makes a hump in the middle, with a tail to the right by the third's square.
  const double spread = 8 * (random.uniform() + random.uniform()) + 20 * random.uniform() * random.uniform();
  const auto length = std::clamp<std::int64_t>(2 + static_cast<std::int64_t>(spread), 3, 39);
  std::vector<TokenId> ids;
  for (std::int64_t i = 0; i < length; ++i) {
    ids.push_back(static_cast<TokenId>(4 + random.below(static_cast<std::uint64_t>(kBenchVocabulary - 4))));
  }
  return ids;
}

}  // namespace

std::vector<StandardJob> standard_jobs() { return {{"tiny", shape(4, 128, 256, 4)}, {"base", shape(3, 512, 2048, 8)}}; }

CorpusPtr random_corpus(std::int64_t pairs) {
  RandomStream random(1);
  std::vector<std::pair<std::vector<TokenId>, std::vector<TokenId>>> out;
  for (std::int64_t i = 0; i < pairs; ++i) {
    std::vector<TokenId> source = sentence(random), target = sentence(random);
    out.emplace_back(std::move(source), std::move(target));
  }
  return corpus_of_pairs(std::move(out));
}

}  // namespace mha
