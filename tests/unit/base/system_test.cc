#include "base/system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace mha {
namespace {

TEST(System, PeakFollowsWhatIsTouched) {
  const std::int64_t before = peak_resident_bytes();
  EXPECT_GE(before, resident_bytes());
  EXPECT_GT(resident_bytes(), 1 << 20);
  // Above the peak, not above the present: pages freed earlier would hide a smaller block.
  const auto bytes = static_cast<std::size_t>(before - resident_bytes()) + (64U << 20U);
  {
    std::vector<char> block(bytes);
    std::memset(block.data(), 1, block.size());
    EXPECT_EQ(block[bytes / 2], 1);
  }
  // The kernel counts in batches of pages per thread.
  EXPECT_GT(peak_resident_bytes(), before + (60 << 20));
}

TEST(System, SomeMemoryIsAvailable) {
  EXPECT_GT(available_memory_bytes(), 1 << 20);
  EXPECT_EQ(available_memory_bytes() % 1024, 0);
}

TEST(System, NamesTheMachine) {
  EXPECT_THAT(instruction_set(), ::testing::AnyOf("amx_bf16", "avx512_bf16", "avx512f", "avx2", "baseline"));
  EXPECT_EQ(has_native_bf16(), instruction_set().ends_with("bf16"));
}

TEST(CommandLine, BeginsWithTheProgramAndHasItsOptions) {
  const std::vector<std::string> words = command_line();
  ASSERT_FALSE(words.empty());
  EXPECT_EQ(words.front().find('/'), std::string::npos);
  EXPECT_NE(words.front().find("base"), std::string::npos) << words.front();
}

}  // namespace
}  // namespace mha
