#include "base/clock.h"

#include <gtest/gtest.h>

#include <regex>
#include <thread>

namespace mha {
namespace {

using std::chrono::milliseconds;

TEST(Stopwatch, Measures) {
  const Stopwatch watch;
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_GE(watch.seconds(), 0.02);
  EXPECT_LT(watch.seconds(), 10);
}

TEST(TimedScope, AddsToTheTotal) {
  double total = 1;
  {
    const TimedScope scope(total);
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_GE(total, 1.01);
}

TEST(UtcNow, HasTheIsoForm) {
  EXPECT_TRUE(std::regex_match(utc_now(), std::regex(R"(20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\dZ)")))
      << utc_now();
}

}  // namespace
}  // namespace mha
