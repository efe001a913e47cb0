#pragma once

#include <cstdint>
#include <filesystem>

namespace mha {

/// How many processes the kernel has killed for lack of memory: in this process's memory control group, or on the whole
/// machine where that does not say. 0 where neither says. `root`: what stands for "/" (tests).
std::int64_t oom_kills(const std::filesystem::path& root = "/");

}  // namespace mha
