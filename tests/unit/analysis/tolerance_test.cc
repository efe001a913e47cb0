#include "analysis/tolerance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/message_of.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;

std::string refusal(const std::string& text) {
  return message_of([&] { parse_tolerances(text); });
}

bool within(const std::string& metric, const std::string& tolerance, double base, double candidate) {
  return is_within(*find_gate_metric(metric), parse_tolerances(metric + "=" + tolerance).at(metric), base, candidate);
}

TEST(Tolerance, AmountsAndPercentWithOrWithoutASign) {
  const Tolerances all = parse_tolerances("bleu=0.5,ppl=2%,wps=-10%,peak_rss=+5%,chrf=-1e-1, params = 0 , nll=3 %");
  EXPECT_EQ(all.size(), 7U);
  EXPECT_EQ(all.at("bleu").amount, 0.5);
  EXPECT_FALSE(all.at("bleu").percent);
  EXPECT_EQ(all.at("wps").amount, 10);
  EXPECT_TRUE(all.at("wps").percent);
  EXPECT_EQ(all.at("peak_rss").text(), "5%");
  EXPECT_EQ(all.at("chrf").text(), "0.1");
  EXPECT_EQ(all.at("params").amount, 0);
  EXPECT_EQ(all.at("nll").text(), "3%");
}

TEST(Tolerance, TheDefaultIsInTheGrammar) { EXPECT_EQ(parse_tolerances(kDefaultTolerance).size(), 5U); }

TEST(Tolerance, UnknownMetricsAreRefusedWithTheNearest) {
  EXPECT_THAT(refusal("belu=0.5"),
              AllOf(HasSubstr("belu"), HasSubstr("did you mean \"bleu\"?"), HasSubstr("peak_rss")));
  EXPECT_THAT(refusal("zzzzzz=1"), AllOf(HasSubstr("zzzzzz"), HasSubstr("there are bleu, chrf")));
  EXPECT_THAT(refusal("wps"), HasSubstr("METRIC=NUMBER"));
}

TEST(Tolerance, WhatIsNoToleranceIsRefused) {
  for (const char* text : {"bleu=", "bleu=x", "bleu=0.5x", "bleu=0,5", "bleu=%", "bleu=nan", "bleu=inf", "bleu=--1",
                           "bleu=1e999", "bleu==1", "bleu=0.5%%", "ppl=++1"}) {
    EXPECT_NE(refusal(text), "nothing was thrown") << text;
  }
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
  EXPECT_THAT(refusal("bleu=1,,ppl=2"), HasSubstr("empty"));
  EXPECT_THAT(refusal("bleu=1,bleu=2"), HasSubstr("twice"));
}

TEST(Tolerance, ASignMustBeThatOfTheHarm) {
  EXPECT_THAT(refusal("bleu=+0.5"), HasSubstr("bleu gets worse when it falls"));
  EXPECT_THAT(refusal("ppl=-2%"), HasSubstr("ppl gets worse when it grows"));
  EXPECT_THAT(refusal("wps=+10%"), HasSubstr("write -"));
}

TEST(Tolerance, OneThatNothingCanExceedIsRefused) {
  for (const char* text : {"wps=100%", "bleu=100%", "bleu=100", "chrf=-1000", "chrf++=100"})
    EXPECT_THAT(refusal(text), HasSubstr("would never fail")) << text;
  EXPECT_EQ(parse_tolerances("bleu=99.9").at("bleu").amount, 99.9);
  EXPECT_EQ(parse_tolerances("wps=1000").at("wps").amount, 1000);
  EXPECT_EQ(parse_tolerances("ppl=300%").at("ppl").amount, 300);
}

TEST(Tolerance, EqualPassesWhateverTheRoundingOfBinaryNumbers) {
  for (const int fall : {3, 5}) {
    const std::string tolerance = "0." + std::to_string(fall);
    int not_exact = 0;
    for (int tenths = fall; tenths <= 1000; ++tenths) {
      const double base = tenths / 10.0, candidate = (tenths - fall) / 10.0;
      not_exact += base - candidate > fall / 10.0 ? 1 : 0;
      EXPECT_TRUE(within("bleu", tolerance, base, candidate)) << base;
      EXPECT_FALSE(within("bleu", tolerance, base, candidate - 1e-6)) << base;
    }
    EXPECT_GT(not_exact, 0) << "a test of nothing";
  }
  EXPECT_TRUE(within("bleu", "0.5", 30.3, 29.8));
  EXPECT_FALSE(within("bleu", "0.5", 30.3, 29.79));
  EXPECT_TRUE(within("ppl", "2%", 4.1, 4.182));
  EXPECT_FALSE(within("ppl", "2%", 4.1, 4.1821));
  EXPECT_TRUE(within("wps", "10%", 30003, 27002.7));
}

TEST(Tolerance, NothingAllowedIsExact) {
  EXPECT_TRUE(within("params", "0", 1e9, 1e9));
  EXPECT_FALSE(within("params", "0", 1e9, 1e9 + 1));
  EXPECT_TRUE(within("params", "0", 1e9, 1e9 - 1));
  EXPECT_TRUE(within("bleu", "0", 0, 0));
}

TEST(Tolerance, BetterAlwaysPasses) {
  EXPECT_TRUE(within("bleu", "0", 30, 90));
  EXPECT_TRUE(within("nll", "0", 3, 0.1));
  EXPECT_TRUE(within("peak_rss", "0", 1000, 10));
}

TEST(Tolerance, PercentIsOfTheBase) {
  EXPECT_TRUE(within("wps", "10%", 100, 90));
  EXPECT_FALSE(within("wps", "10%", 100, 89.9));
  EXPECT_FALSE(within("ppl", "10%", 0, 0.001));
}

TEST(Tolerance, WhatIsNotFiniteNeverPasses) {
  const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinite, -infinite}) {
    EXPECT_FALSE(within("bleu", "50", bad, 30));
    EXPECT_FALSE(within("bleu", "50", 30, bad));
    EXPECT_FALSE(within("ppl", "1000%", bad, 3));
    EXPECT_FALSE(within("ppl", "1000%", 3, bad));
    EXPECT_FALSE(within("ppl", "1000%", bad, bad));
  }
}

}  // namespace
}  // namespace mha
