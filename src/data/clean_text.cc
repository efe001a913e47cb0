#include "data/clean_text.h"

#include <algorithm>

#include "base/text.h"
#include "metrics/unicode.h"

namespace mha {
namespace {

/// The usual line, which needs no work: printable ASCII, single spaces, none at the ends.
bool is_clean_ascii(std::string_view line) {
  char before = ' ';
  for (const char c : line) {
    if (c < ' ' || c > '~' || (c == ' ' && before == ' ')) return false;
    before = c;
  }
  return line.empty() || before != ' ';
}

/// Appends the word; bytes that are no text become U+FFFD. U+0000 is valid UTF-8, but SentencePiece and C strings end
/// there.
void append_text(std::string_view word, std::string& text) {
  if (is_text(word)) {
    text += word;
    return;
  }
  for (const char c : replace_invalid_utf8(word)) {
    if (c == '\0') {
      text += "\xEF\xBF\xBD";
    } else {
      text += c;
    }
  }
}

}  // namespace

bool is_text(std::string_view line) {
  return line.find('\0') == std::string_view::npos && invalid_utf8_at(line) == std::string_view::npos;
}

bool is_blank(std::string_view line) { return split_unicode_space(line).empty(); }

std::string clean_text(std::string_view line) {
  if (is_clean_ascii(line)) return std::string(line);
  std::string text;
  text.reserve(line.size());
  for (const std::string_view word : split_unicode_space(line)) {
    if (!text.empty()) text += ' ';
    append_text(word, text);
  }
  return text;
}

std::string lower_text(std::string_view line) { return to_utf8(to_lower(to_utf32(line))); }

}  // namespace mha
