#include "sweep/axis.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "config/config.h"
#include "config/short_names.h"
#include "report/run_folder.h"
#include "sweep/values.h"

namespace mha {
namespace {

bool within(std::string_view path, std::string_view section) {
  return path == section || (path.starts_with(section) && path[section.size()] == '.');
}

bool is_of_one_place(std::string_view path) {
  return std::ranges::any_of(enum_names(AttnPlace{}),
                             [&](std::string_view place) { return within(path, "attention." + std::string(place)); });
}

/// Refuses keys that are not the points' to set, and whole sections but those of single attention places.
void check_can_vary(const std::string& path, const json& value, const std::string& where) {
  const auto refuse = [&](const std::string& why) {
    throw UserError(where + ": " + path + " cannot be an axis: " + why);
  };
  if (path == "run_dir" || path == "name") refuse("the sweep gives every run its own folder");
  if (within(path, "sweep")) refuse("it describes the grid itself");
  for (const NeutralKey& key : neutral_keys()) {
    if (!within(path, key.path)) continue;
    refuse("it does not change the result of a run (" + std::string(key.why) + "); set it for all runs with --set " +
           path + "=VALUE");
  }
  if (value.is_object() && !is_of_one_place(path)) refuse("it is a whole section; let its keys vary, one axis each");
}

/// What an unknown key may have been meant to be among the short names.
std::string short_name_hint(const std::string& name) {
  const std::size_t slips = name.size() > 1 ? 1 : 0;
  const auto near =
      std::ranges::find_if(kShortNames, [&](const auto& s) { return edit_distance(name, s.name) <= slips; });
  return near == kShortNames.end() ? "" : "did you mean " + std::string(near->name) + "?";
}

std::string words(const Problem& problem, const std::string& name) {
  const std::string hint = problem.message == "unknown key" ? short_name_hint(name) : "";
  const std::string& suggestion = hint.empty() ? problem.suggestion : hint;
  return problem.path + " " + (problem.message == "unknown key" ? "is no key of a configuration" : problem.message) +
         (suggestion.empty() ? "" : "; " + suggestion);
}

Axis make_axis(const std::string& name, std::vector<json> values, const std::filesystem::path& folder,
               const std::string& where) {
  Axis axis{.name = axis_name(axis_path(name)), .path = axis_path(name), .values = {}, .folder = folder};
  for (const json& value : values) axis.values.push_back(make_setting(name, value, folder, where).value);
  return axis;
}

}  // namespace

Setting make_setting(const std::string& name, const json& value, const std::filesystem::path& folder,
                     const std::string& where) {
  const std::string path = axis_path(name);
  check_can_vary(path, value, where);
  const Problems problems = assignment_problems({.path = path, .value = dump_json(value, -1), .folder = folder});
  if (!problems.empty()) throw UserError(where + ": " + words(problems.front(), name));
  return {.name = axis_name(path), .path = path, .value = with_whole_numbers(value), .folder = folder};
}

Axis parse_axis(const std::string& token) {
  const std::size_t equals = token.find('=');
  if (invalid_utf8_at(token) != std::string_view::npos) {
    throw UserError("axis " + replace_invalid_utf8(token) + ": not UTF-8, which configurations are written in");
  }
  if (equals == std::string::npos || equals == 0 || equals + 1 == token.size()) {
    throw UserError("axis " + token + ": write KEY=VALUES, such as h=1,2,4 or model.dropout=0.1,0.3");
  }
  const std::string where = "axis " + token;
  return make_axis(token.substr(0, equals), parse_values(token.substr(equals + 1), where), {}, where);
}

Axis axis_of_file(const GridAxis& axis) {
  const std::string where = "sweep.axes." + axis.name;
  const std::vector<json> values = axis.values.is_string() ? parse_values(axis.values.get<std::string>(), where)
                                                           : std::vector<json>(axis.values.begin(), axis.values.end());
  return make_axis(axis.name, values, axis.folder, where);
}

std::vector<Setting> parse_settings(const std::string& text, const std::string& where) {
  std::vector<Setting> settings;
  for (const std::string& part : split_values(text, where)) {
    const Axis axis = parse_axis(part);
    if (axis.values.size() != 1) throw UserError(where + ": " + part + " must give one value");
    settings.push_back(axis.at(0));
  }
  return settings;
}

std::string value_text(const json& value) {
  const auto plain = [](char c) { return static_cast<unsigned char>(c) >= ' '; };
  if (!value.is_string() || !std::ranges::all_of(value.get<std::string>(), plain)) return dump_json(value, -1);
  return value.get<std::string>();
}

}  // namespace mha
