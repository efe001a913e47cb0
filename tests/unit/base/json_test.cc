#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;

std::string refusal(std::string_view text) {
  return message_of([&] { parse_json(text, "x.json"); });
}

TEST(ParseJson, KeepsTheOrderOfKeysAndTheKindsOfNumbers) {
  const json value = parse_json(R"({"z": 1, "a": [1e3, -2, 18446744073709551615, 0.5, null, true, "x"]})", "x.json");
  EXPECT_EQ(value.begin().key(), "z");
  EXPECT_EQ(dump_json(value, -1), R"({"z":1,"a":[1000.0,-2,18446744073709551615,0.5,null,true,"x"]})");
}

TEST(ParseJson, AcceptsCommentsAndAByteOrderMark) {
  EXPECT_EQ(parse_json("\xEF\xBB\xBF// head\n{\"a\": /* two */ 2} // end", "x.json"), json({{"a", 2}}));
}

TEST(ParseJson, NamesOriginLineAndColumn) {
  EXPECT_THAT(refusal("{\n  \"a\": 1,\n  oops\n}"), AllOf(HasSubstr("x.json"), HasSubstr("line 3, column 3")));
  EXPECT_THAT(refusal(""), HasSubstr("x.json: not valid JSON at line 1, column 1"));
}

TEST(ParseJson, RefusesTrailingText) {
  EXPECT_THAT(refusal("{} {}"), HasSubstr("line 1, column 4"));
  EXPECT_THAT(refusal("1 2"), HasSubstr("line 1, column 3"));
  EXPECT_THAT(refusal(std::string("{}\0{\"hidden\": 1}", 16)), HasSubstr("NUL"));
}

TEST(ParseJson, RefusesARepeatedKeyAndTellsItsPath) {
  EXPECT_THAT(refusal(R"({"lr": 1, "lr": 2})"), HasSubstr("the key lr stands twice"));
  EXPECT_THAT(refusal(R"({"a": {"c": 1}, "b": [0, {"c": {"d": 1, "d": 1}}]})"),
              HasSubstr("the key b.1.c.d stands twice"));
  EXPECT_THAT(refusal(R"({"a": {"c": 1, "c": {"d": 3}}, "b": [1], "b": 2})"), HasSubstr("the keys a.c, b stand twice"));
}

TEST(ParseJson, TheSameKeyInTwoObjectsIsNoRepetition) {
  EXPECT_EQ(parse_json(R"([{"a": {"a": 1}}, {"a": 2}])", "x.json").size(), 2);
}

TEST(ParseJson, RefusesWhatIsNotANumberOrDoesNotFitADouble) {
  EXPECT_THAT(refusal(R"({"lr": 1e999})"), HasSubstr("1e999"));
  for (const char* text : {"NaN", "[Infinity]", "[01]", "[+1]", "[.5]", "[1,]", "{\"a\":1,}", "{'a':1}"}) {
    EXPECT_THAT(refusal(text), HasSubstr("not valid JSON")) << text;
  }
}

TEST(ParseJson, RefusesBytesThatAreNotUtf8) {
  EXPECT_THAT(refusal("{\"a\":\n \"\xC3\"}"), HasSubstr("not UTF-8 at line 2, column 3"));
  EXPECT_THAT(refusal(R"(["\ud800"])"), HasSubstr("not valid JSON"));
}

TEST(ParseJson, RefusesBottomlessNesting) {
  EXPECT_THAT(refusal(std::string(100000, '[')), HasSubstr("levels deep"));
  EXPECT_EQ(parse_json(std::string(150, '[') + std::string(150, ']'), "x.json").size(), 1);
}

TEST(ReadJson, NamesTheFile) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(read_json(folder.write("good.json", "[1]")), json::array({1}));
  EXPECT_THAT(message_of([&] { read_json(folder.write("bad.json", "[")); }), HasSubstr("bad.json"));
  EXPECT_THAT(message_of([&] { read_json(folder / "none.json"); }), HasSubstr("none.json"));
}

TEST(DumpJson, IsStrictJsonWhateverIsInIt) {
  const double inf = std::numeric_limits<double>::infinity();
  const json value = {{"nan", std::numeric_limits<double>::quiet_NaN()}, {"inf", -inf}, {"text", "a\xFF\n"}};
  const std::string text = dump_json(value, -1);
  EXPECT_EQ(text, "{\"nan\":null,\"inf\":null,\"text\":\"a\xEF\xBF\xBD\\n\"}");
  EXPECT_TRUE(parse_json(text, "x.json")["nan"].is_null());
}

TEST(DumpJson, DoublesSurviveTheRoundTrip) {
  for (const double value : {0.1, 1e-9, 5e-324, 1.7976931348623157e308, 1.0 / 3}) {
    EXPECT_EQ(parse_json(dump_json(value), "x").get<double>(), value);
  }
}

}  // namespace
}  // namespace mha
