#include "sweep/claims.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace mha {
namespace {

/// The place of a run's byte: its 12 hexadecimal digits as a number.
off_t place_of(const std::string& id) { return static_cast<off_t>(std::stoull(id.substr(0, 12), nullptr, 16)); }
/// Behind all of them.
constexpr off_t kWritePlace = off_t{1} << 48U;

int open_lock(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) throw UserError("cannot open the lock file " + file.string() + ": " + std::strerror(errno));
  return descriptor;
}

/// One byte, by fcntl's `command`. The locks are of the open file, not of the process: plain ones would be lost by
/// closing any other descriptor of the file.
int lock_byte(int descriptor, off_t place, int command) {
  struct flock byte {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = place;
  byte.l_len = 1;
  return fcntl(descriptor, command, &byte);
}

[[noreturn]] void cannot_lock(int descriptor, const std::filesystem::path& file) {
  const int reason = errno;
  close(descriptor);
  throw UserError("cannot lock " + file.string() + ": " + std::strerror(reason));
}

}  // namespace

RunClaims::RunClaims(const std::filesystem::path& file, std::span<const std::string> ids)
    : descriptor_(open_lock(file)) {
  for (const std::string& id : ids) {
    if (lock_byte(descriptor_, place_of(id), F_OFD_SETLK) == 0) continue;
    if (errno != EAGAIN && errno != EACCES) cannot_lock(descriptor_, file);
    close(descriptor_);
    throw UserError("another mha-train sweep is at work on run " + id + " of " + file.parent_path().string() +
                    ": wait until it has ended, or divide the runs with --shard i/n given to both");
  }
}

RunClaims::~RunClaims() { close(descriptor_); }

SweepWriteLock::SweepWriteLock(const std::filesystem::path& file) : descriptor_(open_lock(file)) {
  while (lock_byte(descriptor_, kWritePlace, F_OFD_SETLKW) != 0) {
    if (errno != EINTR) cannot_lock(descriptor_, file);
  }
}

SweepWriteLock::~SweepWriteLock() { close(descriptor_); }

}  // namespace mha
