#include "metrics/unicode.h"

#include <gtest/gtest.h>

namespace mha {
namespace {

TEST(Unicode, Utf8RoundTrip) {
  const std::string text = "aß€\U0001F600\xEF\xBF\xBD";
  EXPECT_EQ(to_utf32(text), U"aß€\U0001F600\uFFFD");
  EXPECT_EQ(to_utf8(to_utf32(text)), text);
}

TEST(Unicode, InvalidBytesBecomeReplacementCharacters) { EXPECT_EQ(to_utf32("a\xFFz\xC3"), U"a\uFFFDz\uFFFD"); }

TEST(Unicode, CategoriesAtTheEdgesOfRanges) {
  for (const char32_t c : {U'!', U'"', U'#', U'-', U'\u00BF', U'\u2014', U'\u3001'}) EXPECT_TRUE(is_punctuation(c));
  for (const char32_t c : {U'$', U'+', U'a', U' ', U'5', char32_t{0x10FFFD}}) EXPECT_FALSE(is_punctuation(c));
  for (const char32_t c : {U'$', U'+', U'^', U'\u20AC', U'\u20C1', char32_t{0x1F600}}) EXPECT_TRUE(is_symbol(c));
  for (const char32_t c : {U'#', U'%', U'a', U'\0'}) EXPECT_FALSE(is_symbol(c));
  for (const char32_t c : {U'0', U'9', U'\u00B2', U'\u00BD', U'\u0660', U'\u2167', U'\u3007'})
    EXPECT_TRUE(is_number(c));
  for (const char32_t c : {U'/', U':', U'a'}) EXPECT_FALSE(is_number(c));
}

TEST(Unicode, LowerMapsSingleCodePoints) {
  EXPECT_EQ(to_lower(U"AZ[ÄÖÜß ŐőŒ \u1E9E Д \u2126 \u212A \U00010400"), U"az[äöüß őőœ ß д ω k \U00010428");
  EXPECT_EQ(to_lower(U"\u01C4\u01C5\u01C6"), U"\u01C6\u01C6\u01C6");  // a capital, a title-case and a small letter
  EXPECT_EQ(to_lower(U"\uFB01 中 5"), U"\uFB01 中 5");
}

TEST(Unicode, LowerOfDottedCapitalIIsTwoCodePoints) { EXPECT_EQ(to_lower(U"\u0130I"), U"i\u0307i"); }

TEST(Unicode, LowerOfSigmaDependsOnItsPlace) {
  EXPECT_EQ(to_lower(U"ΟΔΟΣ ΣΑΣ Σ"), U"οδος σας σ");
  EXPECT_EQ(to_lower(U"ΑΣ'Α ΑΣ' 'Σ"), U"ασ'α ας' 'σ");  // an apostrophe is looked through, a space is not
}

TEST(Unicode, StripsAndSplitsAtEveryWhiteSpace) {
  EXPECT_EQ(strip(U"\u00A0\u2028 a b\u3000\u001F"), U"a b");
  EXPECT_EQ(strip_right(U" a \u0085"), U" a");
  EXPECT_TRUE(strip(U" \t ").empty());
  EXPECT_EQ(split_words(U"a\u00A0b\u2009c\u001Cd\u200Be\uFEFFf "),
            (std::vector<std::u32string>{U"a", U"b", U"c", U"d\u200Be\uFEFFf"}));
  EXPECT_TRUE(split_words(U" \u3000").empty());
}

// Python's str.split(): every White_Space code point of Unicode, and the four separators U+001C to U+001F.
TEST(Unicode, SplitsWherePythonDoes) {
  std::u32string spaces = U" \u0085\u00A0\u1680\u2028\u2029\u202F\u205F\u3000";
  for (char32_t c = 0x09; c <= 0x0D; ++c) spaces += c;
  for (char32_t c = 0x1C; c <= 0x1F; ++c) spaces += c;
  for (char32_t c = 0x2000; c <= 0x200A; ++c) spaces += c;
  EXPECT_EQ(spaces.size(), 29U);
  for (char32_t c = 1; c < 0x20000; ++c) {
    const bool is_space = spaces.find(c) != std::u32string::npos;
    EXPECT_EQ(split_words(std::u32string{U'a', c, U'b'}).size(), is_space ? 2U : 1U) << static_cast<std::uint32_t>(c);
  }
}

}  // namespace
}  // namespace mha
