#include "config/values.h"

#include <cmath>

namespace mha {
namespace {

/// Integers up to here are exact in a double, which is what the bounds are and what JSON promises.
constexpr double largest_exact = 9007199254740992.0;  // 2^53

std::string number(double value) {
  return dump_json(std::nearbyint(value) == value ? json(std::llround(value)) : json(value));
}

}  // namespace

std::string number_words(const Rule& rule, bool integer) {
  std::string words = integer ? "an integer" : "a number";
  const bool has_min = std::isfinite(rule.min);
  if (has_min && rule.min_excluded) words += " above " + number(rule.min);
  if (!std::isfinite(rule.max))
    return has_min && !rule.min_excluded ? words + " of at least " + number(rule.min) : words;
  if (has_min && !rule.min_excluded) words += " from " + number(rule.min);
  return words + (rule.max_excluded ? " to below " : " to ") + number(rule.max);
}

json number_schema(const Rule& rule, bool integer) {
  json schema = {{"type", integer ? "integer" : "number"}};
  const auto bound = [&](const char* name, double value) {
    if (std::isfinite(value)) schema[name] = std::nearbyint(value) == value ? json(std::llround(value)) : json(value);
  };
  bound(rule.min_excluded ? "exclusiveMinimum" : "minimum", rule.min);
  bound(rule.max_excluded ? "exclusiveMaximum" : "maximum", rule.max);
  return schema;
}

bool in_range(const Rule& rule, double value) {
  const bool above = rule.min_excluded ? value > rule.min : value >= rule.min;
  const bool below = rule.max_excluded ? value < rule.max : value <= rule.max;
  return above && below;
}

std::optional<std::int64_t> exact_integer(const json& value) {
  constexpr auto limit = static_cast<std::int64_t>(largest_exact);
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    const bool exact = std::abs(number) <= largest_exact && std::nearbyint(number) == number;
    return exact ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
  }
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(limit)) return std::nullopt;
  if (!value.is_number_integer()) return std::nullopt;
  const auto number = value.get<std::int64_t>();
  return number >= -limit && number <= limit ? std::optional(number) : std::nullopt;
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 < words.size() ? ", " : " or ";
    out += '"' + words[i] + '"';
  }
  return out;
}

std::string shown(const json& value) {
  constexpr std::size_t longest = 60;
  if (value.is_object()) return "an object";
  std::string text = dump_json(value, -1);
  if (text.size() > longest) text = text.substr(0, longest) + "…";
  const bool whole = value.is_number() && std::nearbyint(value.get<double>()) == value.get<double>();
  if (whole && !exact_integer(value)) text += ", which is too large";
  return text;
}

std::optional<std::string> text_of(const json& value, const Source& source) {
  if (value.is_string()) return value.get<std::string>();
  if (!source.text.empty() && value.is_primitive()) return source.text;
  return std::nullopt;
}

std::filesystem::path resolve(const std::filesystem::path& path, const Source& source) {
  if (path.empty() || source.folder.empty()) return path;
  return (source.folder / path).lexically_normal();
}

}  // namespace mha
