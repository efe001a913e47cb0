#pragma once

#include <string>
#include <string_view>

namespace mha {

/// Whether the line is text: valid UTF-8 without U+0000.
bool is_text(std::string_view line);

/// Whether nothing but white space (of any kind that Unicode knows) stands in the line.
bool is_blank(std::string_view line);

/// What a vocabulary cuts: every run of white space (any kind that Unicode knows, U+001C..U+001F too) becomes one
/// space, none stays at the ends; bytes that are no text become U+FFFD. Nothing else changes. BLEU and chrF do not see
/// the difference, since both treat white space of any kind alike.
std::string clean_text(std::string_view line);

/// Lower-cases by Unicode's rules, whatever the locale.
std::string lower_text(std::string_view line);

}  // namespace mha
