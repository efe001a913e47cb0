#pragma once

#include <array>
#include <string>
#include <string_view>

namespace mha {

/// A short name of a key.
struct ShortName {
  std::string_view name, path;
};
inline constexpr std::array<ShortName, 6> kShortNames = {{{"h", "attention.num_heads"},
                                                          {"d_k", "attention.d_k"},
                                                          {"d_v", "attention.d_v"},
                                                          {"d_model", "model.d_model"},
                                                          {"d_ff", "model.d_ff"},
                                                          {"lr", "optimizer.lr"}}};

/// Keys that are short to write: "h" -> "attention.num_heads"; what is no short name stays.
std::string axis_path(const std::string& name);
/// "attention.num_heads" -> "h"; a path without a short name stays.
std::string axis_name(const std::string& path);

}  // namespace mha
