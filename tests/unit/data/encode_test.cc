#include "data/encode.h"

#include "unit/data/data_testing.h"

namespace mha {
namespace {

using Ids = std::vector<TokenId>;

/// a = 4, b = 5, … e = 8.
VocabularyPair letters() {
  const auto vocabulary = vocabulary_from_bytes("a\nb\nc\nd\ne\n", "letters");
  return {vocabulary, vocabulary};
}

EncodedPair encode(const char* source, const char* target, const EncodeOptions& options) {
  return encode_pair({source, target}, letters(), options);
}

TEST(Encode, TheLimitCountsEos) {
  const EncodeOptions options{.max_source_length = 4, .max_target_length = 3};
  EXPECT_EQ(encode("a b c", "a b", options).source, (Ids{4, 5, 6, SpecialIds::eos}));
  EXPECT_EQ(encode("a b c", "a b", options).target, (Ids{4, 5, SpecialIds::eos}));
  EXPECT_STREQ(encode("a b c d", "a b", options).dropped, "too_long");
  EXPECT_STREQ(encode("a b c", "a b c", options).dropped, "too_long");
  EXPECT_EQ(encode("a b c", "a b", options).dropped, nullptr);
}

TEST(Encode, TruncationKeepsEos) {
  const EncodeOptions options{.max_source_length = 3, .max_target_length = 2, .long_pairs = LongPairs::truncate};
  const EncodedPair pair = encode("a b c d", "a b c d", options);
  EXPECT_EQ(pair.source, (Ids{4, 5, SpecialIds::eos}));
  EXPECT_EQ(pair.target, (Ids{4, SpecialIds::eos}));
  EXPECT_TRUE(pair.truncated);
  EXPECT_EQ(pair.dropped, nullptr);
}

TEST(Encode, EvaluationKeepsEveryPair) {
  const EncodeOptions options{.training = false, .max_source_length = 3, .max_target_length = 3};
  EXPECT_EQ(encode("", "", options).source, Ids{SpecialIds::eos});
  EXPECT_EQ(encode("a b c", "a", options).source, (Ids{4, 5, SpecialIds::eos}));
  EXPECT_EQ(encode("\xE9 a", "a", options).source, (Ids{SpecialIds::unk, 4, SpecialIds::eos}));
  EXPECT_TRUE(encode("\xE9 a", "a", options).repaired);
}

TEST(Encode, LowerCasesIfAsked) {
  EXPECT_EQ(encode("A B", "C", {.lowercase = true}).source, (Ids{4, 5, SpecialIds::eos}));
  EXPECT_EQ(encode("A B", "C", {}).source, (Ids{SpecialIds::unk, SpecialIds::unk, SpecialIds::eos}));
}

TEST(Encode, ALineToTranslateIsEncodedAsInEvaluation) {
  const EncodeOptions options{.training = false, .lowercase = true, .max_source_length = 3};
  const auto line = encode_source_line("  A\tb c", *letters().source, options);
  EXPECT_EQ(line.ids, (Ids{4, 5}));
  EXPECT_TRUE(line.truncated);
  EXPECT_TRUE(encode_source_line("", *letters().source, options).ids.empty());
}

TEST(Encode, CountsTokensAndUnknownWords) {
  PairCounts counts;
  count_pair(encode("a x", "b", {}), counts);
  count_pair(encode("", "b", {}), counts);
  EXPECT_EQ(counts.read, 2);
  EXPECT_EQ(counts.used, 1);
  EXPECT_EQ(counts.source_tokens, 3);
  EXPECT_EQ(counts.target_tokens, 2);
  EXPECT_EQ(counts.source_unknown, 1);
  EXPECT_EQ(counts.target_unknown, 0);
  EXPECT_EQ(describe(counts), "2 pairs read, 1 used; dropped: 1 empty_source");
}

}  // namespace
}  // namespace mha
