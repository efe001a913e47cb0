#include "decode/translator.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/work_items.h"
#include "data/batch.h"
#include "decode/beam_search.h"

namespace mha {

namespace {

/// Batches of which each worker gets so many: enough that none waits long for the last.
constexpr std::int64_t kBatchesPerWorker = 8;

}  // namespace

TranslationCounts& TranslationCounts::operator+=(const TranslationCounts& more) {
  lines += more.lines;
  empty_lines += more.empty_lines;
  cut_lines += more.cut_lines;
  source_tokens += more.source_tokens;
  target_tokens += more.target_tokens;
  return *this;
}

Translator::Translator(SearchModel& model, VocabularyPair vocabularies, SearchOptions search, EncodeOptions encoding)
    : Translator(std::vector<SearchModel*>{&model}, std::move(vocabularies), search, encoding) {}

Translator::Translator(std::vector<SearchModel*> models, VocabularyPair vocabularies, SearchOptions search,
                       EncodeOptions encoding)
    : models_(std::move(models)), vocabularies_(std::move(vocabularies)), search_(search), encoding_(encoding) {}

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

std::int64_t Translator::batch_tokens(const EncodedCorpus& corpus) const {
  std::int64_t limit = search_.max_tokens / search_.beam;
  if (const auto workers = static_cast<std::int64_t>(models_.size()); workers > 1) {
    std::int64_t total = 0;
    for (std::int64_t i = 0; i < corpus.size(); ++i) total += static_cast<std::int64_t>(corpus.source(i).size());
    limit = std::min(limit, total / (workers * kBatchesPerWorker));
  }
  return std::max<std::int64_t>(limit, 1);
}

std::vector<Translation> Translator::translate(const EncodedCorpus& corpus, const Progress& progress) {
  std::vector<Translation> translations(static_cast<std::size_t>(corpus.size()));
  const std::vector<std::vector<std::int64_t>> batches = sorted_batches(corpus, batch_tokens(corpus));
  std::int64_t done = 0;
  std::mutex mutex;  // of done, counts_ and progress
  for_each_item(batches.size(), models_.size(), [&](std::size_t batch, std::size_t worker) {
    const TranslationCounts counts = translate_batch(*models_[worker], corpus, batches[batch], translations);
    const std::lock_guard lock(mutex);
    counts_ += counts;
    done += counts.lines;
    if (progress) progress(done, corpus.size());
  });
  return translations;
}

TranslationCounts Translator::translate_batch(SearchModel& model, const EncodedCorpus& corpus,
                                              const std::vector<std::int64_t>& sentences,
                                              std::vector<Translation>& translations) const {
  TranslationCounts counts;
  counts.lines = static_cast<std::int64_t>(sentences.size());
  PackedTokens sources;
  std::vector<std::size_t> places;
  for (const std::int64_t sentence : sentences) {
    const auto place = static_cast<std::size_t>(sentence);
    const std::span<const TokenId> source = corpus.source(sentence);
    if (source.size() <= 1) {  // EOS alone
      translations[place].nbest.emplace_back();
      ++counts.empty_lines;
      continue;
    }
    sources.append(source);
    places.push_back(place);
  }
  if (places.empty()) return counts;
  counts.source_tokens = sources.total();
  std::vector<std::vector<Hypothesis>> results = beam_search(model, sources, search_);
  for (std::size_t i = 0; i < places.size(); ++i) {
    counts.target_tokens += static_cast<std::int64_t>(results[i].front().tokens.size());
    for (Hypothesis& hypothesis : results[i]) {
      std::string text = vocabularies_.target->decode(hypothesis.tokens);
      translations[places[i]].nbest.push_back({std::move(text), std::move(hypothesis)});
    }
  }
  return counts;
}

}  // namespace mha
