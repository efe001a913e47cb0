#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mha {

/// UTF-8 to code points; every byte outside a valid sequence becomes U+FFFD.
std::u32string to_utf32(std::string_view text);
std::string to_utf8(std::u32string_view text);

/// General categories P (punctuation), S (symbol) and N (number) as sacreBLEU's `regex` module knows them.
bool is_punctuation(char32_t code_point);
bool is_symbol(char32_t code_point);
bool is_number(char32_t code_point);

/// Python's str.lower(): simple mappings, U+0130 to two code points, capital sigma by its place in the word.
std::u32string to_lower(std::u32string_view text);

/// Python's str.strip(), str.rstrip() and str.split() without arguments: Unicode white space and U+001C..U+001F.
std::u32string_view strip(std::u32string_view text);
std::u32string_view strip_right(std::u32string_view text);
std::vector<std::u32string> split_words(std::u32string_view text);

}  // namespace mha
