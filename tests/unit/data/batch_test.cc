#include "data/batch.h"

#include "data/cut_batches.h"
#include "unit/data/data_testing.h"

namespace mha {
namespace {

using Ids = std::vector<TokenId>;
using Batches = std::vector<std::vector<std::int64_t>>;

TEST(Batch, ShiftsTheTarget) {
  const CorpusPtr corpus = corpus_of_pairs({{{4, 5}, {6}}, {{}, {}}, {{7}, {8, 9}}});
  const Batch batch = make_batch(*corpus, std::vector<std::int64_t>{2, 1, 0});
  EXPECT_EQ(batch.pairs, (std::vector<std::int64_t>{2, 1, 0}));
  EXPECT_EQ(batch.source.tokens, (Ids{7, 3, 3, 4, 5, 3}));
  EXPECT_EQ(batch.source.offsets, (std::vector<std::int64_t>{0, 2, 3, 6}));
  EXPECT_EQ(batch.target_in.tokens, (Ids{2, 8, 9, 2, 2, 6}));
  EXPECT_EQ(batch.target_out, (Ids{8, 9, 3, 3, 6, 3}));
  EXPECT_EQ(batch.target_in.offsets, (std::vector<std::int64_t>{0, 3, 4, 6}));
  EXPECT_EQ(batch.target_tokens(), 6);
  EXPECT_EQ(batch.source.max_length(), 3);
  EXPECT_EQ(batch.source.count(), 3);
  EXPECT_EQ(batch.source.total(), 6);
}

const std::vector<SizedPair> kPairs = {{0, 2}, {1, 2}, {2, 3}, {3, 9}, {4, 1}, {5, 4}};

TEST(CutBatches, BucketedLimitsSentencesTimesLongest) {
  // {0, 1, 2}: 3 * 3 = 9 > 8. Pair 3 alone is too long.
  EXPECT_EQ(cut_batches(kPairs, {.max_tokens = 8}), (Batches{{0, 1}, {2}, {3}, {4, 5}}));
  EXPECT_EQ(cut_batches(kPairs, {.max_tokens = 9}), (Batches{{0, 1, 2}, {3}, {4, 5}}));
}

TEST(CutBatches, RandomLimitsTheSum) {
  EXPECT_EQ(cut_batches(kPairs, {.max_tokens = 7, .batching = Batching::random}), (Batches{{0, 1, 2}, {3}, {4, 5}}));
  EXPECT_EQ(cut_batches(kPairs, {.max_tokens = 6, .batching = Batching::random}), (Batches{{0, 1}, {2}, {3}, {4, 5}}));
}

TEST(CutBatches, LimitsSentences) {
  EXPECT_EQ(cut_batches(kPairs, {.max_tokens = 1000, .max_sentences = 4}), (Batches{{0, 1, 2, 3}, {4, 5}}));
}

TEST(SortedBatches, LongestSourceFirstEqualOnesInOrder) {
  const CorpusPtr corpus = corpus_of_pairs({{{4}, {4}}, {{4, 4, 4}, {4}}, {{4}, {4, 4, 4, 4, 4}}, {{}, {}}});
  EXPECT_EQ(sorted_batches(*corpus, 1000), (Batches{{1, 0, 2, 3}}));
  EXPECT_EQ(sorted_batches(*corpus, 8), (Batches{{1, 0}, {2}, {3}}));  // 3 * 6 > 8, 2 * 6 > 8
}

TEST(MemoryCorpus, CountsAndHashesItsPairs) {
  const CorpusPtr corpus = corpus_of_pairs({{{4, 1}, {6}}});
  EXPECT_EQ(corpus->counts().source_tokens, 3);
  EXPECT_EQ(corpus->counts().source_unknown, 1);
  EXPECT_EQ(corpus->hash(), corpus_of_pairs({{{4, 1}, {6}}})->hash());
  EXPECT_NE(corpus->hash(), corpus_of_pairs({{{4}, {1, 6}}})->hash());
}

}  // namespace
}  // namespace mha
