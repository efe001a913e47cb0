#pragma once

#include <string>
#include <string_view>

namespace mha {

/// Logs go to stderr, one line each, coloured only on a terminal. spdlog stays behind this header: LibTorch's wheel
/// brings another version of fmt, with which Debian's spdlog does not compile.
void log_info(std::string_view message);
void log_warning(std::string_view message);
void log_error(std::string_view message);

}  // namespace mha
