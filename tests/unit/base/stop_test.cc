#include "base/stop.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/error.h"

namespace mha {
namespace {

/// Exit status of a child that runs `action` with the handlers installed.
template <class F>
int status_of_child(F&& action) {
  const pid_t child = fork();
  if (child == 0) {
    install_stop_handlers();
    action();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(Stop, RequestIsSeenAndCleared) {
  EXPECT_EQ(stop_signal(), 0);
  EXPECT_NO_THROW(throw_if_stopped());
  request_stop(SIGTERM);
  EXPECT_EQ(stop_signal(), SIGTERM);
  try {
    throw_if_stopped();
    ADD_FAILURE() << "Interrupted was not thrown";
  } catch (const Interrupted& interrupted) {
    EXPECT_EQ(interrupted.signal_number(), SIGTERM);
  }
  request_stop(0);
  EXPECT_NO_THROW(throw_if_stopped());
}

TEST(Stop, FirstSignalOnlySetsTheFlag) {
  for (const int signal_number : kStopSignals) {
    const int status = status_of_child([&] {
      raise(signal_number);
      _exit(stop_signal() == signal_number ? 0 : 1);
    });
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << signal_number;
  }
}

TEST(Stop, NohupIsRespected) {
  const int status = status_of_child([] {
    std::signal(SIGHUP, SIG_IGN);
    install_stop_handlers();
    raise(SIGHUP);
    _exit(stop_signal() == 0 ? 0 : 1);
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Stop, SecondSignalEndsTheProcessAtOnce) {
  const int status = status_of_child([] {
    raise(SIGTERM);
    raise(SIGINT);
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGINT);
}

}  // namespace
}  // namespace mha
