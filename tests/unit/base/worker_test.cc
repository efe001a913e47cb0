#include "base/worker.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mha {
namespace {

TEST(Worker, DoesItsJobsInOneThreadOfItsOwn) {
  Worker worker;
  std::thread::id first, second;
  worker.start([&] { first = std::this_thread::get_id(); }).get();
  worker.start([&] { second = std::this_thread::get_id(); }).get();
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::this_thread::get_id());
}

TEST(Worker, HandsOverWhatAJobThrewAndGoesOn) {
  Worker worker;
  std::future<void> bad = worker.start([] { throw std::runtime_error("no"); });
  EXPECT_THROW(bad.get(), std::runtime_error);
  bool done = false;
  worker.start([&] { done = true; }).get();
  EXPECT_TRUE(done);
}

TEST(Worker, TheEndWaitsForTheJob) {
  bool done = false;
  {
    Worker worker;
    worker.start([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      done = true;
    });
  }
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace mha
