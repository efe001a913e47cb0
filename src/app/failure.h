#pragma once

#include <exception>
#include <string>

namespace mha {

/// What the process returns for an exception. What the file system refuses (a name too long, a folder that may not be
/// searched) is the user's to put right, as a UserError is.
int exit_code_of(const std::exception& error);

/// What an exception says to the user: without LibTorch's backtrace; of the file system's, path and reason.
std::string plain_message(const std::exception& error);

/// Brings standard output to where it goes and returns `code`; where that fails (a full disk, a closed file), says so
/// and returns the code of a user error in place of success.
int finish_output(int code);

}  // namespace mha
