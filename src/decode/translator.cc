#include "decode/translator.h"

#include <algorithm>
#include <utility>

#include "data/batch.h"
#include "decode/beam_search.h"

namespace mha {

Translator::Translator(SearchModel& model, VocabularyPair vocabularies, SearchOptions search, EncodeOptions encoding)
    : model_(model), vocabularies_(std::move(vocabularies)), search_(search), encoding_(encoding) {}

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines, const Progress& progress) {
  std::vector<std::pair<std::vector<TokenId>, std::vector<TokenId>>> pairs;
  pairs.reserve(lines.size());
  for (const std::string& line : lines) {
    EncodedLine encoded = encode_source_line(line, *vocabularies_.source, encoding_);
    if (encoded.truncated) ++counts_.cut_lines;
    pairs.emplace_back(std::move(encoded.ids), std::vector<TokenId>{});
  }
  return translate(*corpus_of_pairs(std::move(pairs)), progress);
}

std::vector<Translation> Translator::translate(const EncodedCorpus& corpus, const Progress& progress) {
  std::vector<Translation> translations(static_cast<std::size_t>(corpus.size()));
  std::int64_t done = 0;
  const std::int64_t batch_tokens = std::max<std::int64_t>(search_.max_tokens / search_.beam, 1);
  for (const std::vector<std::int64_t>& batch : sorted_batches(corpus, batch_tokens)) {
    translate_batch(corpus, batch, translations);
    done += static_cast<std::int64_t>(batch.size());
    if (progress) progress(done, corpus.size());
  }
  counts_.lines += corpus.size();
  return translations;
}

void Translator::translate_batch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& sentences,
                                 std::vector<Translation>& translations) {
  PackedTokens sources;
  std::vector<std::size_t> places;
  for (const std::int64_t sentence : sentences) {
    const auto place = static_cast<std::size_t>(sentence);
    const std::span<const TokenId> source = corpus.source(sentence);
    if (source.size() <= 1) {  // EOS alone
      translations[place].nbest.emplace_back();
      ++counts_.empty_lines;
      continue;
    }
    sources.append(source);
    places.push_back(place);
  }
  if (places.empty()) return;
  counts_.source_tokens += sources.total();
  std::vector<std::vector<Hypothesis>> results = beam_search(model_, sources, search_);
  for (std::size_t i = 0; i < places.size(); ++i) {
    counts_.target_tokens += static_cast<std::int64_t>(results[i].front().tokens.size());
    for (Hypothesis& hypothesis : results[i]) {
      std::string text = vocabularies_.target->decode(hypothesis.tokens);
      translations[places[i]].nbest.push_back({std::move(text), std::move(hypothesis)});
    }
  }
}

}  // namespace mha
