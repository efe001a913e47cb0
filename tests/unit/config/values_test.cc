#include "config/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mha {
namespace {

TEST(NumberWords, SayTheRule) {
  EXPECT_EQ(number_words(any(), true), "an integer");
  EXPECT_EQ(number_words(at_least(1), true), "an integer of at least 1");
  EXPECT_EQ(number_words(range(0, 4294967295.0), true), "an integer from 0 to 4294967295");
  EXPECT_EQ(number_words(positive(), false), "a number above 0");
  EXPECT_EQ(number_words(below_one(), false), "a number from 0 to below 1");
  EXPECT_EQ(number_words(range(0.9, 1), false), "a number from 0.9 to 1");
}

TEST(InRange, ExcludedBoundsAndNan) {
  EXPECT_TRUE(in_range(below_one(), 0));
  EXPECT_FALSE(in_range(below_one(), 1));
  EXPECT_FALSE(in_range(positive(), 0));
  EXPECT_TRUE(in_range(range(1, 2), 2));
  EXPECT_FALSE(in_range(any(), std::numeric_limits<double>::quiet_NaN()));
}

TEST(ExactInteger, TakesWholeNumbersOfEitherNotation) {
  EXPECT_EQ(exact_integer(json(4)), 4);
  EXPECT_EQ(exact_integer(json(1e3)), 1000);
  EXPECT_EQ(exact_integer(json(-0.0)), 0);
  EXPECT_EQ(exact_integer(json(-9007199254740992)), -9007199254740992);
  for (const json& bad :
       {json(3.7), json(true), json("4"), json(nullptr), json(1e300), json(18446744073709551615ULL)}) {
    EXPECT_FALSE(exact_integer(bad).has_value()) << bad;
  }
}

TEST(Shown, KeepsMessagesShort) {
  EXPECT_EQ(shown(json("4")), "\"4\"");
  EXPECT_EQ(shown(json::object()), "an object");
  EXPECT_LT(shown(json(std::string(1000, 'x'))).size(), 100U);
  EXPECT_EQ(shown(json(5000000000)), "5000000000");
}

TEST(Alternatives, ReadAsASentence) {
  EXPECT_EQ(alternatives({"a"}), "\"a\"");
  EXPECT_EQ(alternatives({"a", "b"}), "\"a\" or \"b\"");
  EXPECT_EQ(alternatives({"a", "b", "c"}), "\"a\", \"b\" or \"c\"");
}

}  // namespace
}  // namespace mha
