#include "metrics/ngrams.h"

#include <gtest/gtest.h>

#include <vector>

namespace mha {
namespace {

TEST(Ngrams, CountsWords) {
  const std::vector<std::u32string> words = {U"a", U"b", U"a", U"b"};
  EXPECT_EQ(count_word_ngrams(words, 1), (NgramCounts{{U"a", 2}, {U"b", 2}}));
  EXPECT_EQ(count_word_ngrams(words, 2), (NgramCounts{{U"a b", 2}, {U"b a", 1}}));
  EXPECT_EQ(count_word_ngrams(words, 4), (NgramCounts{{U"a b a b", 1}}));
  EXPECT_TRUE(count_word_ngrams(words, 5).empty());
}

TEST(Ngrams, CountsCodePoints) {
  EXPECT_EQ(count_char_ngrams(U"äää", 2), (NgramCounts{{U"ää", 2}}));
  EXPECT_TRUE(count_char_ngrams(U"", 1).empty());
}

TEST(Ngrams, MatchesAreClipped) {
  const NgramCounts hypothesis = {{U"the", 7}, {U"cat", 1}, {U"x", 1}};
  const NgramCounts reference = {{U"the", 2}, {U"cat", 3}, {U"y", 1}};
  EXPECT_EQ(ngram_matches(hypothesis, reference), 3);
  EXPECT_EQ(ngram_matches(reference, hypothesis), 3);
  EXPECT_EQ(ngram_total(hypothesis), 9);
}

}  // namespace
}  // namespace mha
