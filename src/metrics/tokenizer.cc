#include "metrics/tokenizer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "metrics/unicode.h"

// sacreBLEU states its tokenisers as regular expressions. Each is a character class or a pair of them, so a plain scan
// from left to right does the same; as there, matches never overlap and each rule runs over the result of the last.

namespace mha {
namespace {

constexpr std::array<std::pair<BleuTokenizer, std::string_view>, 5> kNames = {{
    {BleuTokenizer::k13a, "13a"},
    {BleuTokenizer::kNone, "none"},
    {BleuTokenizer::kChar, "char"},
    {BleuTokenizer::kZh, "zh"},
    {BleuTokenizer::kIntl, "intl"},
}};

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool is_stop(char32_t c) { return c == U'.' || c == U','; }
bool is_dash(char32_t c) { return c == U'-'; }

/// ASCII punctuation that always stands alone: all but the apostrophe, comma, hyphen and full stop.
bool is_free_punctuation(char32_t c) {
  const bool ascii_punctuation =
      (c >= U'!' && c <= U'/') || (c >= U':' && c <= U'@') || (c >= U'[' && c <= U'`') || (c >= U'{' && c <= U'~');
  return ascii_punctuation && c != U'\'' && !is_stop(c) && !is_dash(c);
}

/// A space on both sides of each code point of the class.
template <class Class>
std::u32string isolate(std::u32string_view text, Class is_member) {
  std::u32string out;
  for (const char32_t c : text) {
    if (is_member(c)) {
      out += {U' ', c, U' '};
    } else {
      out += c;
    }
  }
  return out;
}

/// Every non-overlapping pair (First, Second): a space on both sides of the second.
template <class First, class Second>
std::u32string isolate_after(std::u32string_view text, First is_first, Second is_second) {
  std::u32string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (i + 1 < text.size() && is_first(text[i]) && is_second(text[i + 1])) out += {U' ', text[++i], U' '};
  }
  return out;
}

/// Every non-overlapping pair (First, Second): a space on both sides of the first.
template <class First, class Second>
std::u32string isolate_before(std::u32string_view text, First is_first, Second is_second) {
  std::u32string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && is_first(text[i]) && is_second(text[i + 1])) {
      out += {U' ', text[i], U' ', text[i + 1]};
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

void replace_all(std::u32string& text, std::u32string_view from, std::u32string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::u32string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// The rules for Western languages that 13a and zh share.
std::u32string separate_western(std::u32string_view line) {
  const auto not_digit = [](char32_t c) { return !is_digit(c); };
  std::u32string text = isolate(line, is_free_punctuation);
  text = isolate_after(text, not_digit, is_stop);
  text = isolate_before(text, is_stop, not_digit);
  return isolate_after(text, is_digit, is_dash);
}

std::u32string separate_13a(std::u32string_view line) {
  std::u32string text(line);
  replace_all(text, U"<skipped>", U"");
  replace_all(text, U"-\n", U"");
  replace_all(text, U"\n", U" ");
  // Entities are decoded one kind after the other, so that &amp;lt; ends as <.
  replace_all(text, U"&quot;", U"\"");
  replace_all(text, U"&amp;", U"&");
  replace_all(text, U"&lt;", U"<");
  replace_all(text, U"&gt;", U">");
  return separate_western(U" " + text + U" ");
}

/// What sacreBLEU 2.6.0 takes for a Chinese character. Its two ranges beyond the basic plane are written with four
/// hexadecimal digits and one more character ('\u20000'), so they mean U+2001..U+2A6D and U+2F81..U+2FA1: general
/// punctuation, currency, arrows and mathematics are apart too, and extension B is not. Equal scores need the same.
bool is_chinese(char32_t c) {
  static constexpr std::array<std::pair<char32_t, char32_t>, 21> ranges = {{
      {0x2001, 0x2A6D}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3000, 0x303F}, {0x3100, 0x312F},
      {0x31A0, 0x31BF}, {0x31C0, 0x31EF}, {0x3200, 0x32FF}, {0x3300, 0x33FF}, {0x3400, 0x4DB5}, {0x4E00, 0x9FA5},
      {0x9FA6, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F},
      {0xFF00, 0xFFEF}, {0x2600, 0x26FF}, {0x2700, 0x27BF},
  }};
  return std::ranges::any_of(ranges, [c](const auto& range) { return range.first <= c && c <= range.second; });
}

std::u32string separate_intl(std::u32string_view line) {
  const auto not_number = [](char32_t c) { return !is_number(c); };
  std::u32string text = isolate_after(line, not_number, is_punctuation);
  text = isolate_before(text, is_punctuation, not_number);
  return isolate(text, is_symbol);
}

std::u32string separate(std::u32string_view line, BleuTokenizer tokenizer) {
  switch (tokenizer) {
    case BleuTokenizer::k13a:
      return separate_13a(line);
    case BleuTokenizer::kNone:
      return std::u32string(line);
    case BleuTokenizer::kChar:
      return isolate(line, [](char32_t) { return true; });
    case BleuTokenizer::kZh:
      return separate_western(isolate(strip(line), is_chinese));
    case BleuTokenizer::kIntl:
      return separate_intl(line);
  }
  throw std::logic_error("a tokeniser without rules");
}

}  // namespace

BleuTokenizer parse_bleu_tokenizer(std::string_view name) {
  for (const auto& [tokenizer, known] : kNames) {
    if (known == name) return tokenizer;
  }
  throw UserError("unknown BLEU tokeniser \"" + std::string(name) + "\"; use " + join(bleu_tokenizer_names(), ", "));
}

std::string_view bleu_tokenizer_name(BleuTokenizer tokenizer) {
  return std::ranges::find(kNames, tokenizer, [](const auto& row) { return row.first; })->second;
}

std::vector<std::string> bleu_tokenizer_names() {
  std::vector<std::string> names;
  for (const auto& row : kNames) names.emplace_back(row.second);
  return names;
}

std::vector<std::u32string> bleu_tokens(std::u32string_view line, BleuTokenizer tokenizer, bool lowercase) {
  const std::u32string lowered = lowercase ? to_lower(line) : std::u32string(line);
  return split_words(separate(strip_right(lowered), tokenizer));
}

std::vector<std::string> bleu_tokens(std::string_view line, BleuTokenizer tokenizer, bool lowercase) {
  std::vector<std::string> tokens;
  for (const auto& token : bleu_tokens(to_utf32(line), tokenizer, lowercase)) tokens.push_back(to_utf8(token));
  return tokens;
}

}  // namespace mha
