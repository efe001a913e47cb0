#include "base/system.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace mha {
namespace {

/// The value of a "Key:  value" line of a /proc file, or empty.
std::string proc_value(const char* file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

std::int64_t bytes_of(const char* file, std::string_view key) {
  std::int64_t kib = 0;
  std::istringstream(proc_value(file, key)) >> kib;
  return kib * 1024;
}

bool has_flag(std::string_view flag) {
  static const std::string flags = " " + proc_value("/proc/cpuinfo", "flags") + " ";
  return flags.find(" " + std::string(flag) + " ") != std::string::npos;
}

}  // namespace

std::int64_t peak_resident_bytes() { return bytes_of("/proc/self/status", "VmHWM"); }
std::int64_t resident_bytes() { return bytes_of("/proc/self/status", "VmRSS"); }
std::int64_t available_memory_bytes() { return bytes_of("/proc/meminfo", "MemAvailable"); }
std::string processor_name() { return proc_value("/proc/cpuinfo", "model name"); }

std::string instruction_set() {
  for (const char* flag : {"amx_bf16", "avx512_bf16", "avx512f", "avx2"}) {
    if (has_flag(flag)) return flag;
  }
  return "baseline";
}

bool has_native_bf16() { return has_flag("amx_bf16") || has_flag("avx512_bf16"); }

std::vector<std::string> command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  if (!words.empty()) words.front() = std::filesystem::path(words.front()).filename().string();
  return words;
}

}  // namespace mha
