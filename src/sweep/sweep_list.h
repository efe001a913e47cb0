#pragma once

#include <filesystem>
#include <string>

#include "report/sweep_file.h"

namespace mha {

/// A line a run: status, cell, seed and what it came to, columns in line. Ends with a line feed.
std::string sweep_list(const SweepFile& sweep, const std::filesystem::path& root);

}  // namespace mha
