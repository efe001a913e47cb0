#include "base/worker.h"

#include <utility>

namespace mha {

Worker::Worker() : thread_([this] { work(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

std::future<void> Worker::start(std::function<void()> job) {
  std::packaged_task<void()> task(std::move(job));
  std::future<void> result = task.get_future();
  {
    const std::lock_guard lock(mutex_);
    job_ = std::move(task);
  }
  wake_.notify_one();
  return result;
}

void Worker::work() {
  for (;;) {
    std::packaged_task<void()> job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stop_ || job_.valid(); });
      if (!job_.valid()) return;
      job = std::exchange(job_, {});
    }
    job();
  }
}

}  // namespace mha
