#pragma once

#include <string>
#include <string_view>

namespace mha {

enum class LogLevel { debug, info, warning, error };

/// Logs go to stderr, one line each, coloured only on a terminal. spdlog stays behind this header: LibTorch's wheel
/// brings another version of fmt, with which Debian's spdlog does not compile.
void set_log_level(LogLevel level);
void log_debug(std::string_view message);
void log_info(std::string_view message);
void log_warning(std::string_view message);
void log_error(std::string_view message);

}  // namespace mha
