#include "ops/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "base/random.h"

namespace mha {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

TEST(Arena, BlocksAreAlignedAndTheirOwn) {
  Arena arena;
  std::vector<char*> blocks;
  for (int i = 0; i < 50; ++i) {
    const std::size_t size = 70'001 * static_cast<std::size_t>(i + 1);
    auto* block = static_cast<char*>(arena.allocate(size));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0U);
    EXPECT_GE(arena.size_of(block), size);
    std::memset(block, i, size);
    blocks.push_back(block);
  }
  for (int i = 0; i < 50; ++i) {
    const char* block = blocks[static_cast<std::size_t>(i)];
    const std::size_t size = 70'001 * static_cast<std::size_t>(i + 1);
    EXPECT_TRUE(std::all_of(block, block + size, [i](char c) { return c == static_cast<char>(i); })) << i;
    EXPECT_TRUE(arena.release(blocks[static_cast<std::size_t>(i)]));
  }
}

TEST(Arena, OtherMemoryIsNotItsOwn) {
  Arena arena;
  std::vector<char> other(kMegabyte);
  EXPECT_FALSE(arena.release(other.data()));
  EXPECT_EQ(arena.size_of(other.data()), 0U);
  arena.allocate(kMegabyte);
  EXPECT_FALSE(arena.release(other.data()));
}

TEST(Arena, FreedNeighboursBecomeOneBlock) {
  Arena arena;
  std::vector<void*> blocks;
  for (int i = 0; i < 40; ++i) blocks.push_back(arena.allocate(kMegabyte));
  void* first = *std::min_element(blocks.begin(), blocks.end());
  // In an order in which every way of having free neighbours comes up.
  RandomStream random(3);
  shuffle(blocks, random);
  for (void* block : blocks) arena.release(block);
  EXPECT_EQ(arena.allocate(40 * kMegabyte), first);
}

TEST(Arena, TheSmallestBlockThatIsLargeEnoughIsTaken) {
  Arena arena;
  void* large = arena.allocate(3 * kMegabyte);
  void* wall = arena.allocate(kMegabyte);
  void* small = arena.allocate(2 * kMegabyte);
  void* end = arena.allocate(50 * kMegabyte);
  arena.release(large);
  arena.release(small);
  EXPECT_EQ(arena.allocate(2 * kMegabyte - 64), small);
  EXPECT_EQ(arena.allocate(2 * kMegabyte), large);
  arena.release(wall);
  arena.release(end);
}

TEST(Arena, MoreThanOnePieceIsMadeWhereNeeded) {
  Arena arena;
  void* block = arena.allocate(300 * kMegabyte);
  ASSERT_NE(block, nullptr);
  void* more = arena.allocate(500 * kMegabyte);
  ASSERT_NE(more, nullptr);
  EXPECT_TRUE(arena.release(block));
  EXPECT_TRUE(arena.release(more));
}

TEST(Arena, NoMoreMemoryIsNull) {
  Arena arena;
  EXPECT_EQ(arena.allocate(std::size_t{1} << 60), nullptr);
  void* block = arena.allocate(kMegabyte);
  EXPECT_NE(block, nullptr);
}

TEST(Arena, SeveralThreadsMayUseIt) {
  Arena arena;
  const auto work = [&arena](std::uint64_t seed) {
    RandomStream random(seed);
    std::vector<std::pair<unsigned char*, std::size_t>> mine;
    for (int i = 0; i < 3000; ++i) {
      if (mine.size() < 8) {
        const std::size_t size = 65'536 + random.below(400'000);
        auto* block = static_cast<unsigned char*>(arena.allocate(size));
        block[0] = block[size - 1] = static_cast<unsigned char>(seed);
        mine.emplace_back(block, size);
      } else {
        const auto [block, size] = mine[random.below(mine.size())];
        ASSERT_EQ(block[0], seed);
        ASSERT_EQ(block[size - 1], seed);
        std::erase_if(mine, [&](const auto& entry) { return entry.first == block; });
        ASSERT_TRUE(arena.release(block));
      }
    }
    for (const auto& [block, size] : mine) arena.release(block);
  };
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
  // All is free and joined again: what the threads used at most fits into one block.
  EXPECT_NE(arena.allocate(16 * 450'000), nullptr);
}

}  // namespace
}  // namespace mha
