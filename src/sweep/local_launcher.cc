#include "sweep/local_launcher.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/error.h"
#include "base/stop.h"
#include "sweep/oom_kills.h"

namespace mha {
namespace {

constexpr int kCannotStart = 127;  // as the shell's

/// The child between fork and exec: nothing here may take memory or a lock.
[[noreturn]] void become(char* const* arguments, const char* log, pid_t parent) {
  // The handlers are this program's still: a signal to stop that came before the exec would set a flag that is gone.
  for (const int number : kStopSignals) {
    if (signal(number, SIG_DFL) == SIG_IGN) signal(number, SIG_IGN);
  }
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kCannotStart);  // it died before it could be watched
  const int nothing = open("/dev/null", O_RDWR);
  const int messages = open(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (nothing < 0 || messages < 0) _exit(kCannotStart);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(messages, STDERR_FILENO);
  if (nothing > STDERR_FILENO) close(nothing);
  if (messages > STDERR_FILENO) close(messages);
  execv(arguments[0], arguments);
  _exit(kCannotStart);
}

}  // namespace

LocalLauncher::LocalLauncher(Options options) : options_(std::move(options)) {
  if (!options_.oom_kills) options_.oom_kills = [] { return oom_kills(); };
  oom_kills_seen_ = options_.oom_kills();
  signal(SIGCHLD, SIG_DFL);  // ignored, as whoever started this one may have left it, processes end without a trace
}

LocalLauncher::~LocalLauncher() {
  stop(SIGTERM);
  for (const Process& process : processes_) {
    while (waitpid(process.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

void LocalLauncher::start(const Job& job) {
  std::vector<std::string> words = train_command(options_.program, job);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become(arguments.data(), job.log.c_str(), parent);
  if (pid < 0) throw UserError("cannot start a process for run " + job.id + ": " + std::strerror(errno));
  processes_.push_back({job.id, pid, {}});
}

std::optional<EndedJob> LocalLauncher::take_ended() {
  for (auto process = processes_.begin(); process != processes_.end(); ++process) {
    int status = 0;
    if (waitpid(process->pid, &status, WNOHANG) != process->pid) continue;
    EndedJob ended;
    ended.id = process->id;
    ended.seconds = process->watch.seconds();
    ended.by_signal = WIFSIGNALED(status);
    ended.exit_code =
        ended.by_signal ? static_cast<int>(ExitCode::signal_base) + WTERMSIG(status) : WEXITSTATUS(status);
    if (ended.by_signal && WTERMSIG(status) == SIGKILL) {
      // One count clears one process: of two that were killed, one may have been killed by hand.
      if (options_.oom_kills() > oom_kills_seen_) {
        ++oom_kills_seen_;
        ended.lacked_memory = "killed by the kernel for lack of memory";
      }
    }
    processes_.erase(process);
    return ended;
  }
  return std::nullopt;
}

std::optional<EndedJob> LocalLauncher::wait(double seconds) {
  const Stopwatch watch;
  const int stop_before = stop_signal();
  for (;;) {
    if (auto ended = take_ended()) return ended;
    if (watch.seconds() >= seconds || stop_signal() != stop_before) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void LocalLauncher::stop(int signal_number) {
  for (const Process& process : processes_) kill(process.pid, signal_number);
}

}  // namespace mha
