#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mha {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EditDistance, CountsInsertionsDeletionsChangesAndSwaps) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("d_modle", "d_model"), 1U);
  EXPECT_EQ(edit_distance("Beam", "beam"), 0U);
}

TEST(Nearest, FindsMisspellingsOnly) {
  const std::vector<std::string> keys = {"d_model", "d_ff", "dropout"};
  EXPECT_EQ(nearest("d_modle", keys), "d_model");
  EXPECT_EQ(nearest("droput", keys), "dropout");
  EXPECT_EQ(nearest("learning_rate", keys), "");
  EXPECT_EQ(nearest("x", std::vector<std::string>{}), "");
}

TEST(Utf8, FirstInvalidByteIsFound) {
  EXPECT_EQ(invalid_utf8_at("Straße €😀"), std::string_view::npos);
  EXPECT_EQ(invalid_utf8_at("ab\xFF"), 2U);
  for (const char* bad : {"\x80", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                          "\xF5\x80\x80\x80", "\xE2\x82"}) {
    EXPECT_EQ(invalid_utf8_at(bad), 0U) << ::testing::PrintToString(bad);
  }
}

TEST(Utf8, InvalidBytesBecomeReplacementCharacters) {
  EXPECT_EQ(replace_invalid_utf8("a\xC3z\xE2\x82"), "a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(replace_invalid_utf8("grün"), "grün");
}

TEST(Utf8, CodePointsSurviveTheRoundTrip) {
  for (const char32_t c : {U'a', U'ß', U'€', U'\U0001F600', U'\x7F', U'\x80', U'\u07FF', U'\u0800', U'\uFFFF',
                           U'\U00010000', U'\U0010FFFF'}) {
    std::string text;
    append_utf8(text, c);
    ASSERT_EQ(invalid_utf8_at(text), std::string_view::npos);
    std::size_t at = 0;
    EXPECT_EQ(next_code_point(text, at), c);
    EXPECT_EQ(at, text.size());
  }
}

TEST(SplitUnicodeSpace, SplitsWherePythonDoes) {
  EXPECT_THAT(split_unicode_space(" a\u00A0b\u3000c\u2028d\u0085e\x1C"
                                  "f\tg\n"),
              ElementsAre("a", "b", "c", "d", "e", "f", "g"));
  EXPECT_THAT(split_unicode_space("a\u200Bb \uFEFFc"), ElementsAre("a\u200Bb", "\uFEFFc"));
  EXPECT_THAT(split_unicode_space(" \u2003 "), IsEmpty());
  EXPECT_THAT(split_unicode_space("\xFF\x85 \xC2"), ElementsAre("\xFF\x85", "\xC2"));
}

TEST(SplitAndJoin, AreInverse) {
  EXPECT_THAT(split("a.b..", '.'), ElementsAre("a", "b", "", ""));
  EXPECT_THAT(split("", '.'), ElementsAre(""));
  EXPECT_EQ(join(split("a.b..", '.'), "."), "a.b..");
  EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
}

TEST(Format, Numbers) {
  EXPECT_EQ(format_fixed(2.345, 1), "2.3");
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(-1234), "-1,234");
}

TEST(Format, BytesAndDurations) {
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(3LL << 40), "3.0 TiB");
  EXPECT_EQ(format_duration(59.6), "1:00");
  EXPECT_EQ(format_duration(123), "2:03");
  EXPECT_EQ(format_duration(3723), "1:02:03");
  EXPECT_EQ(format_duration(-1), "0:00");
}

}  // namespace
}  // namespace mha
