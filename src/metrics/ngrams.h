#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace mha {

/// How often each n-gram occurs.
using NgramCounts = std::unordered_map<std::u32string, std::int64_t>;

/// n-grams of words, joined by a space (which no word holds).
NgramCounts count_word_ngrams(std::span<const std::u32string> words, std::size_t order);
/// n-grams of code points.
NgramCounts count_char_ngrams(std::u32string_view text, std::size_t order);

std::int64_t ngram_total(const NgramCounts& counts);
/// Occurrences in both, each n-gram at most as often as in the one that has fewer ("clipped" matches).
std::int64_t ngram_matches(const NgramCounts& hypothesis, const NgramCounts& reference);

}  // namespace mha
