#include "app/failure.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "base/error.h"
#include "base/log.h"
#include "base/stop.h"

namespace mha {
namespace {

using FilesystemError = std::filesystem::filesystem_error;

}  // namespace

int exit_code_of(const std::exception& error) {
  if (const auto* interrupted = dynamic_cast<const Interrupted*>(&error)) {
    return static_cast<int>(ExitCode::signal_base) + interrupted->signal_number();
  }
  const bool users = dynamic_cast<const UserError*>(&error) || dynamic_cast<const FilesystemError*>(&error);
  const ExitCode code = users                                      ? ExitCode::user
                        : dynamic_cast<const CheckFailed*>(&error) ? ExitCode::check_failed
                                                                   : ExitCode::internal;
  return static_cast<int>(code);
}

std::string plain_message(const std::exception& error) {
  if (const auto* refused = dynamic_cast<const FilesystemError*>(&error)) {
    return "cannot use " + refused->path1().string() + ": " + refused->code().message();
  }
  const std::string message = error.what();
  return message.substr(0, std::min(message.find("\nException raised from"), message.find("\nframe #")));
}

int finish_output(int code) {
  errno = 0;  // stays so if what failed was written long before
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  const int reason = errno;
  if (flushed && std::ferror(stdout) == 0 && std::cout.good()) return code;
  if (stop_signal() != 0) return code != 0 ? code : static_cast<int>(ExitCode::signal_base) + stop_signal();
  log_error("cannot write to standard output" + (reason != 0 ? ": " + std::string(std::strerror(reason)) : ""));
  return code != 0 ? code : static_cast<int>(ExitCode::user);
}

}  // namespace mha
