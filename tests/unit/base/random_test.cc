#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

namespace mha {
namespace {

// Test vector of SplitMix64 by its authors, for the state 1234567.
TEST(RandomStream, IsSplitMix64) {
  RandomStream random(1234567);
  for (const std::uint64_t expected : {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL}) {
    EXPECT_EQ(random.next(), expected);
  }
}

TEST(RandomStream, UniformStaysInTheHalfOpenUnitInterval) {
  RandomStream random(1);
  double sum = 0;
  constexpr int draws = 100000;
  for (int i = 0; i < draws; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
  }
  EXPECT_NEAR(sum / draws, 0.5, 0.005);  // five standard errors
}

TEST(RandomStream, BelowIsUniformAndInRange) {
  RandomStream random(2);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(DeriveKey, OrderAndEveryPartMatter) {
  const std::set<std::uint64_t> keys = {derive_key({}),       derive_key({0}),    derive_key({0, 0}),
                                        derive_key({1, 2}),   derive_key({2, 1}), derive_key({1, 3}),
                                        derive_key({1, 2, 0})};
  EXPECT_EQ(keys.size(), 7U);
}

TEST(Shuffle, IsAPermutationThatTheKeyDecides) {
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  const auto shuffled = [&](std::uint64_t key) {
    auto copy = items;
    RandomStream random(key);
    shuffle(copy, random);
    return copy;
  };
  EXPECT_TRUE(std::ranges::is_permutation(shuffled(1), items));
  EXPECT_EQ(shuffled(1), shuffled(1));
  EXPECT_NE(shuffled(1), shuffled(2));
  EXPECT_NE(shuffled(1), items);
}

TEST(Shuffle, EveryOrderOfThreeIsEquallyLikely) {
  RandomStream random(3);
  std::map<std::vector<int>, int> counts;
  for (int i = 0; i < 60000; ++i) {
    std::vector<int> items = {0, 1, 2};
    shuffle(items, random);
    ++counts[items];
  }
  EXPECT_EQ(counts.size(), 6U);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 10000, 500);
}

TEST(IndexPermutation, HitsEveryIndexOnce) {
  for (const std::uint64_t size : {1, 2, 3, 4, 5, 16, 17, 1000, 65537}) {
    const IndexPermutation permutation(size, 42);
    std::vector<bool> hit(size);
    for (std::uint64_t i = 0; i < size; ++i) {
      const std::uint64_t image = permutation(i);
      ASSERT_LT(image, size);
      ASSERT_FALSE(hit[image]) << size;
      hit[image] = true;
    }
  }
}

TEST(IndexPermutation, KeysGiveDifferentOrdersWithoutAPattern) {
  constexpr std::uint64_t size = 10000;
  const IndexPermutation a(size, 1);
  const IndexPermutation b(size, 2);
  int agreements = 0;
  int ascents = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    agreements += a(i) == b(i) ? 1 : 0;
    ascents += i > 0 && a(i) > a(i - 1) ? 1 : 0;
  }
  EXPECT_LT(agreements, 10);  // one is expected of independent permutations
  EXPECT_NEAR(ascents, size / 2, 200);
}

}  // namespace
}  // namespace mha
