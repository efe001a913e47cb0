#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "data/batch.h"
#include "unit/data/data_testing.h"

namespace mha {
namespace {

using Batches = std::vector<std::vector<std::int64_t>>;

/// Pairs of pseudo-random lengths up to 40.
CorpusPtr random_corpus(std::size_t size) {
  RandomStream random(7);
  std::vector<std::pair<std::vector<TokenId>, std::vector<TokenId>>> pairs(size);
  for (auto& [source, target] : pairs) {
    source.assign(random.below(40), 4);
    target.assign(random.below(40), 5);
  }
  return corpus_of_pairs(std::move(pairs));
}

Batches epoch_of(BatchSequence& sequence) {
  Batches batches;
  const std::int64_t epoch = sequence.position().epoch;
  while (sequence.position().epoch == epoch) batches.push_back(sequence.next());
  return batches;
}

std::vector<std::int64_t> sorted_pairs(const Batches& batches) {
  std::vector<std::int64_t> pairs;
  for (const auto& batch : batches) pairs.insert(pairs.end(), batch.begin(), batch.end());
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

class EveryBatching : public ::testing::TestWithParam<Batching> {};
INSTANTIATE_TEST_SUITE_P(BatchSequence, EveryBatching, ::testing::Values(Batching::bucketed, Batching::random),
                         [](const auto& test) { return to_string(test.param); });

TEST_P(EveryBatching, EveryPairOnceAnEpoch) {
  // More than one pool of 65,536.
  for (const std::size_t size : {1, 2, 500, 70000}) {
    BatchSequence sequence(random_corpus(size), {.max_tokens = 300, .batching = GetParam()});
    std::vector<std::int64_t> all(size);
    std::iota(all.begin(), all.end(), 0);
    for (int epoch = 1; epoch <= 2; ++epoch) EXPECT_EQ(sorted_pairs(epoch_of(sequence)), all);
  }
}

TEST_P(EveryBatching, SeekFromAnywhereGivesTheSameRest) {
  const CorpusPtr corpus = random_corpus(300);
  const BatchSequence::Options options{.max_tokens = 200, .batching = GetParam(), .seed = 3};
  BatchSequence straight(corpus, options);
  std::vector<BatchPosition> positions;
  Batches batches;
  while (straight.position().epoch <= 2) {
    positions.push_back(straight.position());
    batches.push_back(straight.next());
  }
  BatchSequence resumed(corpus, options);
  for (std::size_t i = positions.size(); i-- > 0;) {
    resumed.seek(positions[i]);
    EXPECT_EQ(resumed.position(), positions[i]);
    for (std::size_t j = i; j < std::min(i + 5, batches.size()); ++j) EXPECT_EQ(resumed.next(), batches[j]);
  }
}

TEST_P(EveryBatching, SeekReachesTheSecondPool) {
  const CorpusPtr corpus = random_corpus(66000);
  const BatchSequence::Options options{.max_tokens = 200, .batching = GetParam()};
  BatchSequence straight(corpus, options);
  const Batches batches = epoch_of(straight);
  BatchSequence resumed(corpus, options);
  for (const std::size_t from_end : {1, 3, 200}) {
    resumed.seek({1, std::ssize(batches) - static_cast<std::int64_t>(from_end)});
    EXPECT_EQ(resumed.next(), batches[batches.size() - from_end]);
  }
  EXPECT_THROW(resumed.seek({1, std::ssize(batches)}), std::out_of_range);
}

TEST_P(EveryBatching, DependsOnSeedAndEpochOnly) {
  const CorpusPtr corpus = random_corpus(400);
  const auto epochs = [&](std::uint64_t seed) {
    BatchSequence sequence(corpus, {.max_tokens = 200, .batching = GetParam(), .seed = seed});
    Batches first = epoch_of(sequence);
    return std::pair(std::move(first), epoch_of(sequence));
  };
  const auto [first, second] = epochs(1);
  EXPECT_NE(first, second);
  EXPECT_EQ(epochs(1), std::pair(first, second));
  EXPECT_NE(epochs(2).first, first);
  BatchSequence late(corpus, {.max_tokens = 200, .batching = GetParam(), .seed = 1});
  late.seek({2, 0});
  EXPECT_EQ(epoch_of(late), second);
}

TEST(BatchSequence, BucketedHoldsItsLimitWithLittlePadding) {
  const CorpusPtr corpus = random_corpus(20000);
  BatchSequence sequence(corpus, {.max_tokens = 1000});
  std::int64_t tokens = 0, padded = 0, batches = 0;
  for (const auto& batch : epoch_of(sequence)) {
    const Batch made = make_batch(*corpus, batch);
    const std::int64_t longest = std::max(made.source.max_length(), made.target_in.max_length());
    EXPECT_LE(std::ssize(batch) * longest, 1000);
    std::int64_t longer_sides = 0;
    for (std::int64_t i = 0; i < std::ssize(batch); ++i)
      longer_sides += std::max(made.source.length(i), made.target_in.length(i));
    tokens += longer_sides;
    padded += std::ssize(batch) * longest;
    ++batches;
  }
  EXPECT_LT(static_cast<double>(padded - tokens) / static_cast<double>(padded), 0.01);
  EXPECT_LT(static_cast<double>(batches) * 1000, static_cast<double>(tokens) * 1.05);  // and the batches are full
}

TEST(BatchSequence, BatchesOfOneLengthDoNotStandTogether) {
  const CorpusPtr corpus = random_corpus(5000);
  BatchSequence sequence(corpus, {.max_tokens = 500});
  std::vector<std::int64_t> longest;
  for (const auto& batch : epoch_of(sequence)) longest.push_back(make_batch(*corpus, batch).source.max_length());
  EXPECT_FALSE(std::is_sorted(longest.begin(), longest.end()));
}

TEST(BatchSequence, ALongPairIsABatchOfItsOwn) {
  const CorpusPtr corpus = corpus_of_pairs({{{4}, {4}}, {std::vector<TokenId>(50, 4), {4}}, {{4}, {4}}});
  for (const Batching batching : {Batching::bucketed, Batching::random}) {
    BatchSequence sequence(corpus, {.max_tokens = 10, .batching = batching});
    const Batches batches = epoch_of(sequence);
    EXPECT_THAT(batches, ::testing::Contains(std::vector<std::int64_t>{1}));
    EXPECT_EQ(sorted_pairs(batches), (std::vector<std::int64_t>{0, 1, 2}));
  }
}

TEST(BatchSequence, ACorpusSmallerThanABatchIsTrainedOn) {
  BatchSequence sequence(corpus_of_pairs({{{4}, {4}}}), {.max_tokens = 4096, .max_sentences = 64});
  EXPECT_EQ(sequence.next(), std::vector<std::int64_t>{0});
  EXPECT_EQ(sequence.position(), (BatchPosition{2, 0}));
  EXPECT_THROW(BatchSequence(corpus_of_pairs({}), {}), UserError);
}

}  // namespace
}  // namespace mha
