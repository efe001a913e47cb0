#include "sweep/byte_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/message_of.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ByteSize, KnowsDecimalAndBinaryUnits) {
  const auto bytes = [](const std::string& text) { return parse_bytes(text, "--max-memory"); };
  EXPECT_EQ(bytes("2GB"), 2'000'000'000);
  EXPECT_EQ(bytes("512MiB"), 512LL << 20);
  EXPECT_EQ(bytes("1.5G"), 3LL << 29);
  EXPECT_EQ(bytes("8 kB"), 8000);
  EXPECT_EQ(bytes("8k"), 8192);
  EXPECT_EQ(bytes("3tib"), 3LL << 40);
  EXPECT_EQ(bytes("1000"), 1000);
  EXPECT_EQ(bytes("7B"), 7);
}

TEST(ByteSize, RefusesAllElse) {
  for (const char* text :
       {"", "GB", "0", "-1GB", "2XB", "2GBs", "2GiBs", "nan", "inf", "1e30TB", "2G B", "0x10", "100PB"}) {
    const std::string message = testing::message_of([&] { parse_bytes(text, "--max-memory"); });
    EXPECT_THAT(message, AllOf(HasSubstr(std::string("--max-memory ") + text), HasSubstr("such as 2GB"))) << text;
  }
}

}  // namespace
}  // namespace mha
