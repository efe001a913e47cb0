#include "metrics/unicode.h"

#include <algorithm>
#include <span>

#include "base/text.h"

namespace mha {
namespace {

/// Code points first..last, both included.
struct CodeRange {
  char32_t first, last;
};

/// Every step-th code point of first..last becomes itself + delta in lower case.
struct LowerRange {
  char32_t first, last, step;
  int delta;
};

#include "metrics/unicode_tables.inc"

/// The row that could hold the code point: the first whose end is not before it. Rows are sorted and disjoint.
template <class Row>
const Row* find_row(std::span<const Row> rows, char32_t c) {
  const auto at = std::ranges::lower_bound(rows, c, {}, &Row::last);
  return at != rows.end() && at->first <= c ? &*at : nullptr;
}

bool contains(std::span<const CodeRange> rows, char32_t c) { return find_row(rows, c) != nullptr; }

char32_t lower_code_point(char32_t c) {
  const LowerRange* row = find_row(std::span<const LowerRange>(kLower), c);
  if (row == nullptr || (c - row->first) % row->step != 0) return c;
  return static_cast<char32_t>(static_cast<int>(c) + row->delta);
}

/// Is the nearest code point of the range, case-ignorable ones aside, a letter with case?
template <class Iterator>
bool meets_cased(Iterator first, Iterator last) {
  const auto at = std::find_if_not(first, last, [](char32_t c) { return contains(kCaseIgnorable, c); });
  return at != last && contains(kCased, *at);
}

/// Unicode's Final_Sigma condition: a letter before the sigma in its word and none behind it.
bool is_final_sigma(std::u32string_view text, std::size_t at) {
  const std::u32string_view before = text.substr(0, at), after = text.substr(at + 1);
  return meets_cased(before.rbegin(), before.rend()) && !meets_cased(after.begin(), after.end());
}

}  // namespace

std::u32string to_utf32(std::string_view text) {
  const std::string valid = replace_invalid_utf8(text);
  std::u32string out;
  out.reserve(valid.size());
  for (std::size_t at = 0; at < valid.size();) out += next_code_point(valid, at);
  return out;
}

std::string to_utf8(std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) append_utf8(out, c);
  return out;
}

bool is_punctuation(char32_t code_point) { return contains(kPunctuation, code_point); }
bool is_symbol(char32_t code_point) { return contains(kSymbol, code_point); }
bool is_number(char32_t code_point) { return contains(kNumber, code_point); }

std::u32string to_lower(std::u32string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == U'\u03A3') {
      out += is_final_sigma(text, i) ? U'\u03C2' : U'\u03C3';
    } else if (text[i] == U'\u0130') {
      out += U"i\u0307";
    } else {
      out += lower_code_point(text[i]);
    }
  }
  return out;
}

std::u32string_view strip_right(std::u32string_view text) {
  while (!text.empty() && is_unicode_space(text.back())) text.remove_suffix(1);
  return text;
}

std::u32string_view strip(std::u32string_view text) {
  while (!text.empty() && is_unicode_space(text.front())) text.remove_prefix(1);
  return strip_right(text);
}

std::vector<std::u32string> split_words(std::u32string_view text) {
  std::vector<std::u32string> words;
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if_not(at, text.end(), is_unicode_space);
    at = std::find_if(begin, text.end(), is_unicode_space);
    if (begin != at) words.emplace_back(begin, at);
  }
  return words;
}

}  // namespace mha
