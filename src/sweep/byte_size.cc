#include "sweep/byte_size.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "base/error.h"

namespace mha {
namespace {

/// Bytes of "kB", "MiB", "G" …, or 0. Upper and lower case are the same.
double unit_size(std::string_view unit) {
  std::string lower;
  for (const char c : unit) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower.empty() || lower == "b") return 1;
  const std::size_t power = std::string_view("kmgt").find(lower[0]);
  const std::string_view rest = std::string_view(lower).substr(1);
  if (power == std::string_view::npos || (rest != "" && rest != "b" && rest != "ib")) return 0;
  return std::pow(rest == "b" ? 1000.0 : 1024.0, static_cast<double>(power) + 1);
}

}  // namespace

std::int64_t parse_bytes(const std::string& text, const std::string& where) {
  constexpr double most = 9e18;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const double bytes = number * unit_size(unit);
  if (error != std::errc() || !(bytes >= 1 && bytes < most)) {
    throw UserError(where + " " + text + ": must be a size above 0 such as 2GB, 512MiB or 1.5G");
  }
  return std::llround(bytes);
}

}  // namespace mha
