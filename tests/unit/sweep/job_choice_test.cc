#include "sweep/job_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace mha {
namespace {

using ::testing::HasSubstr;

TEST(JobChoice, TakesWhatIsGiven) {
  JobChoice choice({.jobs = 3, .processors = 8, .runs = 100});
  EXPECT_EQ(choice.jobs(), 3);
  EXPECT_EQ(choice.threads(), 2);
  EXPECT_FALSE(choice.measured(2, 1e9));
  EXPECT_EQ(JobChoice({.jobs = 8, .processors = 2, .runs = 100}).threads(), 1);
}

TEST(JobChoice, FewRunsAreNotMeasured) {
  EXPECT_EQ(JobChoice({.processors = 4, .runs = 8}).jobs(), 4);
  EXPECT_EQ(JobChoice({.processors = 4, .runs = 3}).jobs(), 3);
  EXPECT_EQ(JobChoice({.processors = 4, .runs = 0}).jobs(), 1);
  EXPECT_EQ(JobChoice({.processors = 1, .runs = 50}).jobs(), 1);
}

TEST(JobChoice, KeepsTheFasterEnd) {
  for (const double rate_of_each : {0.4, 0.6}) {
    JobChoice choice({.processors = 2, .runs = 5});
    EXPECT_EQ(choice.jobs(), 1);
    EXPECT_EQ(choice.threads(), 2);
    EXPECT_FALSE(choice.measured(2, std::numeric_limits<double>::quiet_NaN()));  // a run that failed tells nothing
    EXPECT_EQ(choice.jobs(), 1);
    EXPECT_FALSE(choice.measured(2, 1.0));
    EXPECT_EQ(choice.jobs(), 2);
    EXPECT_EQ(choice.threads(), 1);
    EXPECT_FALSE(choice.measured(2, 9.0));  // not one of those that are compared
    EXPECT_FALSE(choice.measured(1, rate_of_each));
    const auto said = choice.measured(1, rate_of_each);
    ASSERT_TRUE(said);
    EXPECT_THAT(*said, HasSubstr(rate_of_each > 0.5 ? "2 runs at a time" : "1 run at a time"));
    EXPECT_THAT(*said, HasSubstr(rate_of_each > 0.5 ? "1.20 times" : "0.80 times"));
    EXPECT_EQ(choice.jobs(), rate_of_each > 0.5 ? 2 : 1);
    EXPECT_FALSE(choice.measured(1, 100));
  }
}

}  // namespace
}  // namespace mha
