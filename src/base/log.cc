#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace mha {
namespace {

spdlog::logger& logger() {
  static const auto instance = [] {
    auto made = spdlog::stderr_color_mt("mha-train");
    made->set_pattern("%H:%M:%S %^%l%$ %v");
    made->flush_on(spdlog::level::info);
    return made;
  }();
  return *instance;
}

}  // namespace

void set_log_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return logger().set_level(spdlog::level::debug);
    case LogLevel::info:
      return logger().set_level(spdlog::level::info);
    case LogLevel::warning:
      return logger().set_level(spdlog::level::warn);
    case LogLevel::error:
      return logger().set_level(spdlog::level::err);
  }
}

void log_debug(std::string_view message) { logger().debug("{}", message); }
void log_info(std::string_view message) { logger().info("{}", message); }
void log_warning(std::string_view message) { logger().warn("{}", message); }
void log_error(std::string_view message) { logger().error("{}", message); }

}  // namespace mha
