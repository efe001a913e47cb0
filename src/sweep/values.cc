#include "sweep/values.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "config/layers.h"

namespace mha {
namespace {

constexpr std::size_t kMostValues = 10000;  // of one range
// Steps such as 0.1 are not exact in binary: the end counts as reached within this, and values have so many digits.
constexpr double kSlack = 1e-9;
constexpr int kDigits = 12;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// Where the part that starts at `at` ends: at a comma, outside of brackets and quotes if it begins with one.
std::size_t part_end(std::string_view text, std::size_t at) {
  const std::size_t first = text.find_first_not_of(' ', at);
  const bool is_json = first != std::string_view::npos && std::string_view("{[\"").find(text[first]) < 3;
  int depth = 0;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ',' && depth == 0 && !quoted) break;
    if (!is_json) continue;
    if (quoted && c == '\\') {
      ++at;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
    }
  }
  return std::min(at, text.size());
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole_text = error == std::errc() && end == text.data() + text.size();
  return whole_text && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// 0.30000000000000004 -> 0.3
json tidy(double value) {
  char text[40];
  const int size = std::snprintf(text, sizeof text, "%.*g", kDigits, value);
  return with_whole_numbers(number({text, static_cast<std::size_t>(size)}).value_or(value));
}

bool looks_like_range(std::string_view part) {
  const std::size_t digit = part.find_first_of("0123456789");
  return part.find("..") != std::string_view::npos && (digit == 0 || (digit == 1 && part[0] == '-'));
}

std::vector<json> range(std::string_view part, const std::string& where) {
  const auto refuse = [&](const std::string& what) {
    throw UserError(where + ": the range " + std::string(part) + " " + what);
  };
  const std::string forms = "must have one of the forms 1..8, 16..64+16 (steps of 16) or 1..32*2 (doubled)";
  const std::size_t dots = part.find("..");
  const std::string_view rest = part.substr(dots + 2);
  const std::size_t sign = rest.find_first_of("*+", 1);
  const bool has_step = sign < rest.size();
  const auto first = number(part.substr(0, dots)), last = number(rest.substr(0, sign));
  const auto step = has_step ? number(rest.substr(sign + 1)) : std::optional(1.0);
  if (!first || !last || !step) refuse(forms);
  const bool multiplied = has_step && rest[sign] == '*';
  if (*last < *first) refuse("ends below its start; write the smaller number first");
  if (multiplied && (*first <= 0 || *step <= 1)) refuse("needs a start above 0 and a factor above 1");
  if (*step <= 0) refuse("needs a step above 0");
  const double steps = multiplied ? std::log(*last / *first) / std::log(*step) : (*last - *first) / *step;
  if (steps >= kMostValues) refuse("has more than " + std::to_string(kMostValues) + " values; take larger steps");
  std::vector<json> values;
  for (int i = 0; i <= steps + kSlack; ++i) {
    values.push_back(tidy(multiplied ? *first * std::pow(*step, i) : *first + i * *step));
  }
  return values;
}

}  // namespace

std::vector<std::string> split_values(std::string_view text, const std::string& where) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = part_end(text, at);
    parts.emplace_back(trimmed(text.substr(at, end - at)));
    if (parts.back().empty()) throw UserError(where + ": an empty value; write \"\" for an empty text");
    at = end + 1;
  }
  return parts;
}

std::vector<json> parse_values(const std::string& text, const std::string& where) {
  std::vector<json> values;
  for (const std::string& part : split_values(text, where)) {
    if (looks_like_range(part)) {
      for (json& value : range(part, where)) values.push_back(std::move(value));
    } else {
      values.push_back(with_whole_numbers(json_or_text(part, where)));
    }
  }
  return values;
}

json with_whole_numbers(const json& value) {
  if (value.is_structured()) {
    json out = value;
    for (json& item : out) item = with_whole_numbers(item);
    return out;
  }
  const auto whole = value.is_number() ? exact_integer(value) : std::nullopt;
  return whole ? json(*whole) : value;
}

}  // namespace mha
