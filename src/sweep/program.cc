#include "sweep/program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"

extern char** environ;

namespace mha {
namespace {

constexpr int kCannotStart = 127;

/// Reads both ends until both are closed.
void drain(std::array<pollfd, 2> ends, ProgramResult& result) {
  const std::array<std::string*, 2> texts = {&result.out, &result.err};
  for (int open = 2; open > 0;) {
    if (poll(ends.data(), ends.size(), -1) < 0) continue;  // a signal; the program goes on
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      std::array<char, 4096> block{};
      const ssize_t got = read(ends[i].fd, block.data(), block.size());
      if (got < 0 && errno == EINTR) continue;
      if (got > 0) {
        texts[i]->append(block.data(), static_cast<std::size_t>(got));
        continue;
      }
      close(ends[i].fd);
      ends[i].fd = -1;
      --open;
    }
  }
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& words) {
  std::array<int, 2> out{}, err{};
  if (pipe2(out.data(), O_CLOEXEC) != 0) throw UserError(std::string("cannot make a pipe: ") + std::strerror(errno));
  if (pipe2(err.data(), O_CLOEXEC) != 0) {
    const int reason = errno;
    for (const int end : out) close(end);
    throw UserError(std::string("cannot make a pipe: ") + std::strerror(reason));
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err[1], STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<std::string> copy = words;
  std::vector<char*> arguments;
  for (std::string& word : copy) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  close(out[1]);
  close(err[1]);
  ProgramResult result;
  drain({pollfd{out[0], POLLIN, 0}, pollfd{err[0], POLLIN, 0}}, result);
  if (failed != 0) return {kCannotStart, "", words.front() + ": " + std::strerror(failed)};
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code =
      WIFSIGNALED(status) ? static_cast<int>(ExitCode::signal_base) + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace mha
