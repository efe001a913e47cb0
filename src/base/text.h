#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mha {

/// Damerau-Levenshtein distance (optimal string alignment), case-insensitive for ASCII.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name` if it is near enough to be a misspelling of it, else empty.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

/// First byte offset at which `text` is not valid UTF-8, or npos.
std::size_t invalid_utf8_at(std::string_view text);

/// Every byte that does not belong to a valid UTF-8 sequence becomes U+FFFD.
std::string replace_invalid_utf8(std::string_view text);

/// Reads the code point at `at` (which must be valid UTF-8) and moves `at` behind it.
char32_t next_code_point(std::string_view text, std::size_t& at);
void append_utf8(std::string& out, char32_t code_point);

/// Unicode White_Space and U+001C..U+001F: what Python's str.split() splits at (sacreBLEU's notion of a token).
bool is_unicode_space(char32_t code_point);
/// Tokens between Unicode white space; invalid bytes count as part of a token.
std::vector<std::string_view> split_unicode_space(std::string_view text);

std::vector<std::string> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string format_fixed(double value, int digits);
/// 1234567 -> "1,234,567"
std::string format_count(std::int64_t value);
/// Bytes in the largest binary unit: "1.4 GiB".
std::string format_bytes(std::int64_t bytes);
/// Seconds as "1:02:03" or "2:03".
std::string format_duration(double seconds);

}  // namespace mha
