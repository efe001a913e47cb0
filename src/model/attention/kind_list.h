#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mha {

struct KindInfo {
  std::string_view name, summary;
};

/// The attention kinds there are (kinds.def). No LibTorch behind this header.
std::span<const KindInfo> attention_kinds();
std::vector<std::string> attention_kind_names();

}  // namespace mha
