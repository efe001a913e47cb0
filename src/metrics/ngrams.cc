#include "metrics/ngrams.h"

#include <algorithm>

namespace mha {

NgramCounts count_word_ngrams(std::span<const std::u32string> words, std::size_t order) {
  NgramCounts counts;
  for (std::size_t begin = 0; begin + order <= words.size(); ++begin) {
    std::u32string ngram = words[begin];
    for (std::size_t i = 1; i < order; ++i) (ngram += U' ') += words[begin + i];
    ++counts[std::move(ngram)];
  }
  return counts;
}

NgramCounts count_char_ngrams(std::u32string_view text, std::size_t order) {
  NgramCounts counts;
  for (std::size_t begin = 0; begin + order <= text.size(); ++begin) {
    ++counts[std::u32string(text.substr(begin, order))];
  }
  return counts;
}

std::int64_t ngram_total(const NgramCounts& counts) {
  std::int64_t total = 0;
  for (const auto& [ngram, count] : counts) total += count;
  return total;
}

std::int64_t ngram_matches(const NgramCounts& hypothesis, const NgramCounts& reference) {
  std::int64_t matches = 0;
  for (const auto& [ngram, count] : hypothesis) {
    const auto at = reference.find(ngram);
    if (at != reference.end()) matches += std::min(count, at->second);
  }
  return matches;
}

}  // namespace mha
