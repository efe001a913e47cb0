#include "base/work_items.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/denormals.h"

namespace mha {
namespace {

TEST(WorkItems, EveryItemOnce) {
  for (const std::size_t workers : {0, 1, 2, 5}) {
    std::vector<std::atomic<int>> seen(100);
    for_each_item(seen.size(), workers, [&](std::size_t item, std::size_t worker) {
      EXPECT_LT(worker, std::max<std::size_t>(workers, 1));
      ++seen[item];
    });
    for (const auto& count : seen) EXPECT_EQ(count, 1);
  }
}

TEST(WorkItems, NothingToDo) {
  for_each_item(0, 3, [](std::size_t, std::size_t) { FAIL(); });
}

TEST(WorkItems, AnExceptionEndsTheWork) {
  for (const std::size_t workers : {1, 3}) {
    std::atomic<std::size_t> done{0};
    const auto work = [&](std::size_t item, std::size_t) {
      if (item == 5) throw std::runtime_error("five");
      ++done;
    };
    EXPECT_THROW(for_each_item(1000000, workers, work), std::runtime_error);
    EXPECT_LT(done, 1000000U);
  }
}

TEST(Denormals, BecomeZero) {
#if defined(__x86_64__) || defined(__aarch64__)
  bool flushed = false;
  std::jthread([&] {  // a thread of its own: the others keep their setting
    flush_denormals();
    volatile float smallest = std::numeric_limits<float>::min();
    flushed = smallest * 0.5F == 0.0F;
  })
      .join();
  EXPECT_TRUE(flushed);
#endif
}

}  // namespace
}  // namespace mha
