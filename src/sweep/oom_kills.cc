#include "sweep/oom_kills.h"

#include <fstream>
#include <optional>
#include <string>

namespace mha {
namespace {

/// The number behind the key of "key number" lines.
std::optional<std::int64_t> count_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string key;
  for (std::int64_t value = 0; in >> key;) {
    if (in >> value && key == "oom_kill") return value;
    in.clear();  // a value that is no number ("oom_kill_disable" of other kernels has one)
  }
  return std::nullopt;
}

}  // namespace

std::int64_t oom_kills(const std::filesystem::path& root) {
  std::ifstream groups(root / "proc/self/cgroup");
  // "0::/path" (version 2) or "9:memory:/path" (version 1)
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::filesystem::path below = line.substr(std::min(second + 2, line.size()));
    const auto folder = root / "sys/fs/cgroup";
    const std::optional<std::int64_t> count = controllers.empty() ? count_in(folder / below / "memory.events")
                                              : controllers.find("memory") != std::string::npos
                                                  ? count_in(folder / "memory" / below / "memory.oom_control")
                                                  : std::nullopt;
    if (count) return *count;
  }
  return count_in(root / "proc/vmstat").value_or(0);
}

}  // namespace mha
