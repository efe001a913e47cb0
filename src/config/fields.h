#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

/// The field tables: every configuration struct has
///   template <class V> static void fields(V& v);
/// which calls v(&Struct::member, "key", rule, "documentation") once per key. The default of a key is the member's
/// initialiser and stands nowhere else. Reading, --set, schema, documentation, hints and the report's echo are visitors
/// that walk these tables.
namespace mha {

/// What values a key takes beyond its type. Documentation and schema print it, the reader checks it.
struct Rule {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_excluded = false;
  bool max_excluded = false;
  std::vector<std::string> words = {};  // for ValueOrWord: the words allowed beside numbers
};

inline Rule any() { return {}; }
inline Rule range(double low, double high) { return {.min = low, .max = high}; }
inline Rule at_least(double low) { return {.min = low}; }
inline Rule positive() { return {.min = 0, .min_excluded = true}; }
/// A probability that may not be 1: dropout.
inline Rule below_one() { return {.min = 0, .max = 1, .max_excluded = true}; }
inline Rule or_words(Rule rule, std::vector<std::string> words) {
  rule.words = std::move(words);
  return rule;
}

/// A number or one of a few words, such as d_k: 64 or "ceil".
template <class T>
struct ValueOrWord {
  T value{};
  std::string word;  // empty: `value` counts
  bool is_word() const { return !word.empty(); }
  static ValueOrWord of(T v) { return {v, ""}; }
  static ValueOrWord of_word(std::string w) { return {T{}, std::move(w)}; }
  bool operator==(const ValueOrWord&) const = default;
};

/// Some keys of Settings, to be laid over a full Settings; also "layers": {"2": {…}} with 1-based layer numbers.
template <class Settings>
struct Override {
  json patch = json::object();
  bool operator==(const Override&) const = default;
};

/// An enumeration that can stand in a configuration declares, in its own namespace,
///   constexpr std::array<std::string_view, N> enum_names(E);
/// with the names in the order of the enumerators.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  enum_names(e);
};

template <NamedEnum E>
std::string to_string(E value) {
  return std::string(enum_names(value)[static_cast<std::size_t>(value)]);
}

/// A struct with a field table.
struct AnyVisitor {
  template <class... Args>
  void operator()(Args&&...) {}
};
template <class T>
concept Section = requires(AnyVisitor& v) {
  T::fields(v);
};

/// One thing wrong with a configuration.
struct Problem {
  std::string path;        // "attention.num_heads"
  std::string message;     // "must be an integer of at least 1, not 3.7"
  std::string origin;      // "configs/x.json", "--set", "the defaults"
  std::string suggestion;  // "did you mean d_model?"; may be empty
};
using Problems = std::vector<Problem>;

}  // namespace mha
