#pragma once

#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace mha {

/// A thread of its own that does one job after another; it keeps what libraries store for each thread.
class Worker {
 public:
  Worker();
  /// Waits for the job that is being done.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Hands over a job; at most one at a time. get() on the result waits and rethrows what the job threw.
  std::future<void> start(std::function<void()> job);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::packaged_task<void()> job_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace mha
