#include "base/work_items.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/denormals.h"

namespace mha {

void for_each_item(std::size_t items, std::size_t workers,
                   const std::function<void(std::size_t item, std::size_t worker)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take_items = [&](std::size_t worker) {
    try {
      for (std::size_t item = next++; item < items; item = next++) work(item, worker);
    } catch (...) {
      next = items;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t worker = 1; worker < workers && worker < items; ++worker) {
      threads.emplace_back([&take_items, worker] {
        flush_denormals();
        take_items(worker);
      });
    }
    take_items(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace mha
