#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace mha {

/// Keys keep the order in which they were written.
using json = nlohmann::ordered_json;

/// Parses one JSON text. Comments (// and /* */) and a byte-order mark at the start are accepted; a repeated key,
/// trailing text, a number that overflows a double and invalid UTF-8 are not. `origin` (a file name, "--set") and the
/// line and column, or the paths of all repeated keys, stand in the message of the UserError.
json parse_json(std::string_view text, const std::string& origin);

/// parse_json of a file's content.
json read_json(const std::filesystem::path& path);

/// Strict JSON: numbers that are not finite become null, bytes that are not UTF-8 become U+FFFD. indent < 0: one line.
std::string dump_json(const json& value, int indent = 2);

}  // namespace mha
