#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace mha {

/// The runs that this process drives, as locks on single bytes of one file: the byte's place is the run's id, so that
/// processes with any parts of a sweep, also of a grid that has grown, never drive the same run. The kernel drops them
/// when the process dies; they are not inherited by the runs.
class RunClaims {
 public:
  /// UserError naming the first run that another process drives; then nothing is claimed.
  RunClaims(const std::filesystem::path& file, std::span<const std::string> ids);
  ~RunClaims();
  RunClaims(const RunClaims&) = delete;
  RunClaims& operator=(const RunClaims&) = delete;

 private:
  int descriptor_ = -1;
};

/// Held while sweep.json is read, changed and written; waits for other processes, which do the same within
/// milliseconds. The same file as RunClaims, another byte.
class SweepWriteLock {
 public:
  explicit SweepWriteLock(const std::filesystem::path& file);
  ~SweepWriteLock();
  SweepWriteLock(const SweepWriteLock&) = delete;
  SweepWriteLock& operator=(const SweepWriteLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace mha
