#include "sweep/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/message_of.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

std::string parsed(const std::string& text) { return json(parse_values(text, "axis")).dump(); }
std::string refusal(const std::string& text) {
  return message_of([&] { parse_values(text, "axis x=" + text); });
}

TEST(Values, AreJsonOrElseText) {
  EXPECT_EQ(parsed("1,2,4"), "[1,2,4]");
  EXPECT_EQ(parsed("0.1, 0.3"), "[0.1,0.3]");
  EXPECT_EQ(parsed("pre,post"), R"(["pre","post"])");
  EXPECT_EQ(parsed("true,null,\"true\""), R"([true,null,"true"])");
  EXPECT_EQ(parsed("ceil,16"), R"(["ceil",16])");
}

TEST(Values, CommasInBracketsAndQuotesSeparateNothing) {
  EXPECT_EQ(parsed(R"([0.9,0.98],[0.9,0.999])"), "[[0.9,0.98],[0.9,0.999]]");
  EXPECT_EQ(parsed(R"({"a":[1,2],"b":"}"},null)"), R"([{"a":[1,2],"b":"}"},null])");
  EXPECT_EQ(parsed(R"("a,b","c\",d")"), R"(["a,b","c\",d"])");
  EXPECT_EQ(parsed("it[1,2]"), R"(["it[1","2]"])") << "only what begins with a bracket is JSON";
}

TEST(Values, WholeNumbersAreIntegersHoweverWritten) {
  EXPECT_EQ(parsed("4.0,1e3,-0.0,0.5"), "[4,1000,0,0.5]");
  EXPECT_EQ(with_whole_numbers(json::parse(R"({"a": [2.0, {"b": 3.0}]})")).dump(), R"({"a":[2,{"b":3}]})");
}

TEST(Values, EmptyOnesAreRefused) {
  for (const char* text : {"", "1,,2", "1,", ",1", " ", "1, ,2"}) {
    EXPECT_THAT(refusal(text), AllOf(HasSubstr("axis x="), HasSubstr("empty value"))) << text;
  }
  EXPECT_EQ(parsed("\"\""), R"([""])");
}

TEST(Values, BrokenJsonIsRefused) {
  EXPECT_THAT(refusal("[1,2"), AllOf(HasSubstr("axis x=[1,2"), HasSubstr("not valid JSON")));
  EXPECT_THAT(refusal("\"a"), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal("[1]2"), HasSubstr("not valid JSON"));
}

TEST(Ranges, CountAddAndMultiply) {
  EXPECT_EQ(parsed("1..4"), "[1,2,3,4]");
  EXPECT_EQ(parsed("16..64+16"), "[16,32,48,64]");
  EXPECT_EQ(parsed("1..32*2"), "[1,2,4,8,16,32]");
  EXPECT_EQ(parsed("1,2,8..64*2"), "[1,2,8,16,32,64]");
  EXPECT_EQ(parsed("3..3"), "[3]");
  EXPECT_EQ(parsed("-2..2+2"), "[-2,0,2]");
}

TEST(Ranges, EndBeforeAnEndThatIsNotReached) {
  EXPECT_EQ(parsed("16..63+16"), "[16,32,48]");
  EXPECT_EQ(parsed("1..31*2"), "[1,2,4,8,16]");
}

TEST(Ranges, OfFractionsReachTheirEndAndStayShort) {
  EXPECT_EQ(parsed("0.1..0.5+0.1"), "[0.1,0.2,0.3,0.4,0.5]");
  EXPECT_EQ(parsed("1e-4..1e-1*10"), "[0.0001,0.001,0.01,0.1]");
  EXPECT_EQ(parsed("1..1000*10"), "[1,10,100,1000]") << "logarithms of powers of ten are not exact";
  EXPECT_EQ(parsed("3..243*3"), "[3,9,27,81,243]");
}

TEST(Ranges, ThatCannotBeAreRefusedWithTheRemedy) {
  EXPECT_THAT(refusal("8..1"), AllOf(HasSubstr("axis x=8..1"), HasSubstr("smaller number first")));
  EXPECT_THAT(refusal("1..8*1"), HasSubstr("factor above 1"));
  EXPECT_THAT(refusal("0..8*2"), HasSubstr("start above 0"));
  EXPECT_THAT(refusal("1..8+0"), HasSubstr("step above 0"));
  EXPECT_THAT(refusal("1..8+-1"), HasSubstr("step above 0"));
  EXPECT_THAT(refusal("1..1e9"), HasSubstr("more than 10000 values"));
  for (const char* text : {"1..", "1..x", "1..8*", "1..8+x", "1..8-2", "1...8..9", "1..2..3"}) {
    EXPECT_THAT(refusal(text), AllOf(HasSubstr(text), HasSubstr("16..64+16"))) << text;
  }
}

TEST(Ranges, LookedLikeByTextsAreTexts) {
  EXPECT_EQ(parsed("../data/x,a..b,\"1..8\""), R"(["../data/x","a..b","1..8"])");
}

}  // namespace
}  // namespace mha
