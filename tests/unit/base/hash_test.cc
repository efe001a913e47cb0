#include "base/hash.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace mha {
namespace {

// FIPS 180-2, appendix B.
constexpr const char* of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr const char* of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Sha256, MatchesTheStandardsExamples) {
  EXPECT_EQ(sha256_hex(""), of_nothing);
  EXPECT_EQ(sha256_hex("abc"), of_abc);
}

TEST(Sha256, PiecesMakeTheWhole) { EXPECT_EQ(Sha256().update("a").update("").update("bc").hex(), of_abc); }

TEST(Sha256, OfFiles) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(sha256_file(folder.write("abc", "abc")), of_abc);
  EXPECT_EQ(sha256_file(folder.write("empty", "")), of_nothing);
}

TEST(Sha256, OfLinesIsThatOfTheFileTheyMake) {
  EXPECT_EQ(sha256_lines({}), of_nothing);
  const std::vector<std::string> lines = {"a", "", "b"};
  EXPECT_EQ(sha256_lines(lines), sha256_hex("a\n\nb\n"));
}

}  // namespace
}  // namespace mha
