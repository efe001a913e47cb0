#include "data/clean_text.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace mha {
namespace {

using namespace std::string_literals;

TEST(CleanText, LeavesOrdinaryLinesAlone) {
  for (const char* line : {"", "a", "a red bird", "Ein Käse für 5 € …", "ﬁrst ａ ㎡ ①", "▁ x"})
    EXPECT_EQ(clean_text(line), line);
}

TEST(CleanText, MakesEveryRunOfWhiteSpaceOneSpace) {
  EXPECT_EQ(clean_text("  a\t b "), "a b");
  EXPECT_EQ(clean_text("a\u00a0b\u3000c\u2028d\u2029e\u0085f\vg\fh\x1ci\rj"), "a b c d e f g h i j");
  EXPECT_EQ(clean_text("a\u200bb"), "a\u200bb");  // ZERO WIDTH SPACE is none
}

TEST(CleanText, PutsReplacementCharactersForWhatIsNoText) {
  EXPECT_EQ(clean_text("caf\xE9 x"), "caf\uFFFD x");
  EXPECT_EQ(clean_text("a\0b \0"s), "a\uFFFDb \uFFFD");
}

// Going back to the start for every NUL took minutes for this line.
TEST(CleanText, ALongLineOfNulsTakesNoTime) {
  const Stopwatch watch;
  EXPECT_EQ(clean_text(std::string(1 << 20, '\0')).size(), 3U << 20);
  EXPECT_LT(watch.seconds(), 5);
}

TEST(CleanText, TellsTextAndBlankLines) {
  EXPECT_TRUE(is_text("Käse"));
  EXPECT_FALSE(is_text("caf\xE9"));
  EXPECT_FALSE(is_text("a\0"s));
  EXPECT_TRUE(is_blank(" \t\u00a0\u3000"));
  EXPECT_TRUE(is_blank(""));
  EXPECT_FALSE(is_blank("\u200b"));
  EXPECT_FALSE(is_blank("\xE9"));
}

TEST(CleanText, LowersBeyondAscii) { EXPECT_EQ(lower_text("ÄÖÜ ΑΒ Ж ẞ"), "äöü αβ ж ß"); }

}  // namespace
}  // namespace mha
