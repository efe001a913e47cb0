#include "base/stop.h"

#include <unistd.h>

#include <atomic>

#include "base/error.h"

namespace mha {
namespace {
std::atomic<int> requested{0};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int signal_number) {
  int none = 0;
  if (!requested.compare_exchange_strong(none, signal_number)) _exit(128 + signal_number);
}
}  // namespace

void install_stop_handlers() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  struct sigaction before {};
  for (const int signal_number : kStopSignals) {
    sigaction(signal_number, nullptr, &before);
    if (signal_number == SIGHUP && before.sa_handler == SIG_IGN) continue;
    sigaction(signal_number, &action, nullptr);
  }
}

int stop_signal() { return requested.load(std::memory_order_relaxed); }

void throw_if_stopped() {
  if (const int signal_number = stop_signal(); signal_number != 0) throw Interrupted(signal_number);
}

void request_stop(int signal_number) { requested.store(signal_number); }

}  // namespace mha
