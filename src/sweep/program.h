#pragma once

#include <functional>
#include <string>
#include <vector>

namespace mha {

struct ProgramResult {
  int exit_code = 0;  // 128 + signal; 127 if it could not be started
  std::string out, err;
};

/// Runs a program found in PATH to its end and returns what it wrote. It is in a process group of its own, so that
/// Ctrl-C does not reach it.
ProgramResult run_program(const std::vector<std::string>& words);

/// run_program or, in tests, what stands for it.
using ProgramRunner = std::function<ProgramResult(const std::vector<std::string>&)>;

}  // namespace mha
