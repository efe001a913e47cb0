#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "config/sweep_config.h"

namespace mha {

/// One key of the configuration and a value for it, as a point of a grid has it.
struct Setting {
  std::string name;              // as tables show it: the short name where the key has one
  std::string path;              // of the key: "attention.num_heads"
  json value;                    // whole numbers as integers
  std::filesystem::path folder;  // where a relative path starts; empty: the working folder
};

/// A key of the configuration and the values that it takes over a grid, in order; one listed twice stands twice.
struct Axis {
  std::string name, path;
  std::vector<json> values;
  std::filesystem::path folder;
  Setting at(std::size_t i) const { return {.name = name, .path = path, .value = values[i], .folder = folder}; }
};

/// "h=1,2,4" of the command line. UserError naming the token if it has another form, its key is unknown or can be no
/// axis, or a value is none for that key.
Axis parse_axis(const std::string& token);
/// An axis of the configuration's sweep section; the same errors, naming it.
Axis axis_of_file(const GridAxis& axis);

/// Checks one value of a point as those of axes are; `where` begins the message.
Setting make_setting(const std::string& name, const json& value, const std::filesystem::path& folder,
                     const std::string& where);

/// "h=8,d_k=64" into settings; the same errors.
std::vector<Setting> parse_settings(const std::string& text, const std::string& where);

/// As the names of cells show a value: text without quotes, on one line.
std::string value_text(const json& value);

}  // namespace mha
