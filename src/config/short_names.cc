#include "config/short_names.h"

#include <algorithm>

namespace mha {
std::string axis_path(const std::string& name) {
  const auto found = std::ranges::find(kShortNames, name, &ShortName::name);
  return found == kShortNames.end() ? name : std::string(found->path);
}

std::string axis_name(const std::string& path) {
  const auto found = std::ranges::find(kShortNames, path, &ShortName::path);
  return found == kShortNames.end() ? path : std::string(found->name);
}

}  // namespace mha
