#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/train_config.h"
#include "data/corpus.h"
#include "data/vocabulary.h"
#include "model/transformer.h"

namespace mha {

/// A model with what it takes to go from text to text.
struct TextModel {
  const Transformer& model;
  VocabularyPair vocabularies;
  EncodeOptions encoding;  // of evaluation
};

/// Negative log-likelihood over a corpus, natural logarithm, EOS counted, dropout off, fp32.
struct CorpusLoss {
  double nll = 0;
  std::int64_t tokens = 0;
  double mean() const;
};
/// Sums per sentence are added in corpus order, so the batch size does not change the result beyond the products' own
/// rounding. Asks stop_signal() between batches.
CorpusLoss corpus_loss(const Transformer& model, const EncodedCorpus& corpus, std::int64_t max_tokens);

/// Log-probability of each target given its source, EOS counted; in the order of the pairs.
std::vector<double> pair_log_probs(const TextModel& text_model,
                                   const std::vector<std::pair<std::string, std::string>>& pairs,
                                   std::int64_t max_tokens);

/// Translations, one line per source line, and how they were made.
struct TranslatedLines {
  std::vector<std::string> lines;
  std::string path, precision;  // see SearchModels
  double seconds = 0;           // packing the weights included
};
/// Translates with the given search settings on as many threads as LibTorch uses.
TranslatedLines translate_lines(const TextModel& text_model, const std::vector<std::string>& sources,
                                const DecodeConfig& search);

}  // namespace mha
