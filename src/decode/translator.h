#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "decode/hypothesis.h"
#include "decode/search_model.h"

namespace mha {

struct ScoredText {
  std::string text;  // one line
  Hypothesis hypothesis;
};

/// The n best translations of a line, best first; never empty.
struct Translation {
  std::vector<ScoredText> nbest;
  const std::string& text() const { return nbest.front().text; }
};

/// Sums over all calls of a Translator.
struct TranslationCounts {
  std::int64_t lines = 0;
  std::int64_t empty_lines = 0;    // sources without a subword
  std::int64_t cut_lines = 0;      // sources longer than EncodeOptions::max_source_length
  std::int64_t source_tokens = 0;  // read by the model, EOS counted
  std::int64_t target_tokens = 0;  // of the best translations, EOS counted
  TranslationCounts& operator+=(const TranslationCounts& more);
};

/// Text to text: one line in, one translation out, in the order of the input. Batches hold sentences of similar length,
/// at most SearchOptions::max_tokens source subwords times beam (but at least one sentence); they change speed only.
/// With several search models each translates batches in a thread of its own; the results are the same.
/// A line without a subword is not sent to the model: its only translation is the empty line, with log-probability 0.
/// Lines are encoded by encode_source_line: one that is too long loses its end, keeps EOS and is counted.
class Translator {
 public:
  /// Called after every batch with the lines done so far and all lines; by one thread at a time.
  using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

  Translator(SearchModel& model, VocabularyPair vocabularies, SearchOptions search, EncodeOptions encoding);
  Translator(std::vector<SearchModel*> models, VocabularyPair vocabularies, SearchOptions search,
             EncodeOptions encoding);

  std::vector<Translation> translate(const std::vector<std::string>& lines, const Progress& progress = {});
  /// The sources of a corpus as they are encoded there.
  std::vector<Translation> translate(const EncodedCorpus& corpus, const Progress& progress = {});

  const TranslationCounts& counts() const { return counts_; }

 private:
  std::int64_t batch_tokens(const EncodedCorpus& corpus) const;
  TranslationCounts translate_batch(SearchModel& model, const EncodedCorpus& corpus,
                                    const std::vector<std::int64_t>& sentences,
                                    std::vector<Translation>& translations) const;

  std::vector<SearchModel*> models_;
  VocabularyPair vocabularies_;
  SearchOptions search_;
  EncodeOptions encoding_;
  TranslationCounts counts_;
};

}  // namespace mha
