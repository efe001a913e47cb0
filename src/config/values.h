#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/fields.h"

/// What the tables can hold: one ValueType per C++ type says which values it takes, in words and as JSON Schema, and
/// turns JSON into it and back. A new type of key is one more specialisation.
namespace mha {

/// Where a piece of configuration comes from.
struct Source {
  std::string label;             // "configs/x.json", "--set"
  std::filesystem::path folder;  // relative paths start here; empty: they are left alone
  std::string text;              // what stood behind the = of --set; else empty
};

std::string number_words(const Rule& rule, bool integer);
json number_schema(const Rule& rule, bool integer);
/// Whether the bounds of the rule hold; false for NaN.
bool in_range(const Rule& rule, double value);
/// Exact integers only: 4, 1e3, -0.0; not 3.7, true, "4", nor anything beyond +-2^53.
std::optional<std::int64_t> exact_integer(const json& value);
/// `"a", "b" or "c"`
std::string alternatives(const std::vector<std::string>& words);
/// The value as an error message shows it.
std::string shown(const json& value);
/// Text that a key of type text takes: a string, or what --set was given even if it looks like a number.
std::optional<std::string> text_of(const json& value, const Source& source);
std::filesystem::path resolve(const std::filesystem::path& path, const Source& source);

template <class T>
struct ValueType;

template <>
struct ValueType<bool> {
  static std::string words(const Rule&) { return "true or false"; }
  static json schema(const Rule&) { return {{"type", "boolean"}}; }
  static json write(bool value) { return value; }
  static bool read(const json& in, const Rule&, const Source&, bool& out) {
    if (!in.is_boolean()) return false;
    out = in.get<bool>();
    return true;
  }
};

template <>
struct ValueType<std::int64_t> {
  static std::string words(const Rule& rule) { return number_words(rule, true); }
  static json schema(const Rule& rule) { return number_schema(rule, true); }
  static json write(std::int64_t value) { return value; }
  static bool read(const json& in, const Rule& rule, const Source&, std::int64_t& out) {
    const auto value = exact_integer(in);
    if (!value || !in_range(rule, static_cast<double>(*value))) return false;
    out = *value;
    return true;
  }
};

template <>
struct ValueType<double> {
  static std::string words(const Rule& rule) { return number_words(rule, false); }
  static json schema(const Rule& rule) { return number_schema(rule, false); }
  static json write(double value) { return value; }
  static bool read(const json& in, const Rule& rule, const Source&, double& out) {
    if (!in.is_number() || !in_range(rule, in.get<double>())) return false;
    out = in.get<double>();
    return true;
  }
};

template <>
struct ValueType<std::string> {
  static std::string words(const Rule&) { return "text"; }
  static json schema(const Rule&) { return {{"type", "string"}}; }
  static json write(const std::string& value) { return value; }
  static bool read(const json& in, const Rule&, const Source& source, std::string& out) {
    const auto text = text_of(in, source);
    if (text) out = *text;
    return text.has_value();
  }
};

template <>
struct ValueType<std::filesystem::path> {
  static std::string words(const Rule&) { return "a path"; }
  static json schema(const Rule&) { return {{"type", "string"}}; }
  static json write(const std::filesystem::path& value) { return value.string(); }
  static bool read(const json& in, const Rule&, const Source& source, std::filesystem::path& out) {
    const auto text = text_of(in, source);
    if (text) out = resolve(*text, source);
    return text.has_value();
  }
};

/// A list; one path may stand without brackets.
template <class T>
struct ValueType<std::vector<T>> {
  static constexpr bool single_allowed = std::is_same_v<T, std::filesystem::path>;
  static std::string words(const Rule& rule) {
    return single_allowed ? "a path or a list of paths" : "a list, each " + ValueType<T>::words(rule);
  }
  static json schema(const Rule& rule) {
    json list = {{"type", "array"}, {"items", ValueType<T>::schema(rule)}};
    return single_allowed ? json{{"anyOf", json::array({ValueType<T>::schema(rule), std::move(list)})}} : list;
  }
  static json write(const std::vector<T>& values) {
    json out = json::array();
    for (const T& value : values) out.push_back(ValueType<T>::write(value));
    return out;
  }
  static bool read(const json& in, const Rule& rule, const Source& source, std::vector<T>& out) {
    std::vector<T> values;
    if (in.is_array()) {
      Source inner = source;
      inner.text.clear();  // it stands for the whole list
      for (const json& item : in) {
        if (!ValueType<T>::read(item, rule, inner, values.emplace_back())) return false;
      }
    } else if (!single_allowed || !ValueType<T>::read(in, rule, source, values.emplace_back())) {
      return false;
    }
    out = std::move(values);
    return true;
  }
};

template <class T>
struct ValueType<std::optional<T>> {
  static std::string words(const Rule& rule) { return ValueType<T>::words(rule) + ", or null"; }
  static json schema(const Rule& rule) {
    return {{"anyOf", json::array({ValueType<T>::schema(rule), {{"type", "null"}}})}};
  }
  static json write(const std::optional<T>& value) { return value ? ValueType<T>::write(*value) : json(nullptr); }
  static bool read(const json& in, const Rule& rule, const Source& source, std::optional<T>& out) {
    if (in.is_null()) {
      out.reset();
      return true;
    }
    T value{};
    if (!ValueType<T>::read(in, rule, source, value)) return false;
    out = std::move(value);
    return true;
  }
};

template <class T>
struct ValueType<ValueOrWord<T>> {
  static std::string words(const Rule& rule) { return ValueType<T>::words(rule) + ", or " + alternatives(rule.words); }
  static json schema(const Rule& rule) {
    return {{"anyOf", json::array({ValueType<T>::schema(rule), {{"enum", rule.words}}})}};
  }
  static json write(const ValueOrWord<T>& value) {
    return value.is_word() ? json(value.word) : ValueType<T>::write(value.value);
  }
  static bool read(const json& in, const Rule& rule, const Source& source, ValueOrWord<T>& out) {
    if (!in.is_string()) {
      out.word.clear();
      return ValueType<T>::read(in, rule, source, out.value);
    }
    if (std::ranges::find(rule.words, in.get<std::string>()) == rule.words.end()) return false;
    out = ValueOrWord<T>::of_word(in.get<std::string>());
    return true;
  }
};

template <NamedEnum E>
std::vector<std::string> enum_words() {
  const auto names = enum_names(E{});
  return {names.begin(), names.end()};
}

template <NamedEnum E>
struct ValueType<E> {
  static std::string words(const Rule&) { return alternatives(enum_words<E>()); }
  static json schema(const Rule&) { return {{"enum", enum_words<E>()}}; }
  static json write(E value) { return to_string(value); }
  static bool read(const json& in, const Rule&, const Source&, E& out) {
    const auto names = enum_words<E>();
    const auto found = in.is_string() ? std::ranges::find(names, in.get<std::string>()) : names.end();
    if (found == names.end()) return false;
    out = static_cast<E>(found - names.begin());
    return true;
  }
};

/// The words that a key of this type takes, for did-you-mean; empty for most types.
template <class T>
std::vector<std::string> words_taken(const Rule& rule) {
  if constexpr (NamedEnum<T>) return enum_words<T>();
  return rule.words;
}

}  // namespace mha
