#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "config/data_config.h"

namespace mha {

/// SHA-256 of what the files of the chosen sides hold (as they lie on disk), in order. UserError for a pipe or device:
/// the text is read again after this.
std::string hash_files(const PathList& files);

/// Makes `path` by calling `make` unless `is_there` says that it is there already. Of several processes that want the
/// same file one makes it, the others wait and say so; what a killed maker left behind is removed. `make` must let the
/// file appear at once (AtomicFile).
void make_once(const std::filesystem::path& path, const std::function<bool()>& is_there,
               const std::function<void()>& make);

}  // namespace mha
