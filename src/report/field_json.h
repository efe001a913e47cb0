#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "config/fields.h"

/// The field tables of reports and events. Every struct has
///   template <class V> static void fields(V& v);
/// which calls v(&Struct::member, "key", "unit", "meaning") once per key. JSON writing and reading (here), the schema
/// and the documentation (report_schema.cc) walk these tables. A double that is not finite is written as null, and null
/// is read as NaN; an absent optional is null.
namespace mha {

template <class T>
inline constexpr bool is_optional_v = false;
template <class T>
inline constexpr bool is_optional_v<std::optional<T>> = true;
template <class T>
inline constexpr bool is_list_v = false;
template <class T>
inline constexpr bool is_list_v<std::vector<T>> = true;
template <class T>
inline constexpr bool is_map_v = false;
template <class T>
inline constexpr bool is_map_v<std::map<std::string, T>> = true;

template <class T>
json field_to_json(const T& value) {
  if constexpr (Section<T>) {
    json out = json::object();
    auto visit = [&](auto member, const char* key, auto&&...) { out[key] = field_to_json(value.*member); };
    T::fields(visit);
    return out;
  } else if constexpr (is_optional_v<T>) {
    return value ? field_to_json(*value) : json(nullptr);
  } else if constexpr (is_list_v<T>) {
    json out = json::array();
    for (const auto& item : value) out.push_back(field_to_json(item));
    return out;
  } else if constexpr (is_map_v<T>) {
    json out = json::object();
    for (const auto& [key, item] : value) out[key] = field_to_json(item);
    return out;
  } else if constexpr (NamedEnum<T>) {
    return to_string(value);
  } else if constexpr (std::same_as<T, double>) {
    return std::isfinite(value) ? json(value) : json(nullptr);
  } else {
    return json(value);
  }
}

/// Where a value stands: "runs/x/report.json: training.curve[3].loss".
struct FieldPlace {
  std::string origin, path;
  bool may_lack_keys = false;  // an older version: what it does not have keeps its default

  FieldPlace key(const std::string& name) const {
    return {origin, path.empty() ? name : path + "." + name, may_lack_keys};
  }
  FieldPlace index(std::size_t i) const { return {origin, path + "[" + std::to_string(i) + "]", may_lack_keys}; }
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(origin + ": " + (path.empty() ? "the whole" : path) + " " + what);
  }
  void require(bool fits, const std::string& wanted, const json& got) const {
    if (!fits) fail("must be " + wanted + ", not " + got.type_name());
  }
};

/// Reads what field_to_json writes. Throws UserError naming the place for a wrong type, a missing or an unknown key.
template <class T>
void field_from_json(const json& in, const FieldPlace& at, T& out) {
  if constexpr (Section<T>) {
    at.require(in.is_object(), "an object", in);
    std::set<std::string> known;
    auto visit = [&](auto member, const char* key, auto&&...) {
      if (!in.contains(key)) {
        if (at.may_lack_keys) return;
        at.key(key).fail("is missing");
      }
      field_from_json(in[key], at.key(key), out.*member);
      known.insert(key);
    };
    T::fields(visit);
    for (const auto& [key, value] : in.items()) {
      if (!known.contains(key)) at.key(key).fail("is not a key of this format");
    }
  } else if constexpr (is_optional_v<T>) {
    out.reset();
    if (!in.is_null()) field_from_json(in, at, out.emplace());
  } else if constexpr (is_list_v<T>) {
    at.require(in.is_array(), "a list", in);
    out.clear();
    for (std::size_t i = 0; i < in.size(); ++i) field_from_json(in[i], at.index(i), out.emplace_back());
  } else if constexpr (is_map_v<T>) {
    at.require(in.is_object(), "an object", in);
    out.clear();
    for (const auto& [key, value] : in.items()) field_from_json(value, at.key(key), out[key]);
  } else if constexpr (NamedEnum<T>) {
    at.require(in.is_string(), "text", in);
    const auto names = enum_names(T{});
    const auto name = std::ranges::find(names, in.get<std::string>());
    if (name == names.end()) at.fail("has the unknown value " + dump_json(in));
    out = static_cast<T>(name - names.begin());
  } else if constexpr (std::same_as<T, double>) {
    at.require(in.is_number() || in.is_null(), "a number or null", in);
    out = in.is_null() ? std::numeric_limits<double>::quiet_NaN() : in.get<double>();
  } else if constexpr (std::same_as<T, std::int64_t>) {
    at.require(in.is_number_integer(), "an integer", in);
    out = in.get<std::int64_t>();
  } else if constexpr (std::same_as<T, bool>) {
    at.require(in.is_boolean(), "true or false", in);
    out = in.get<bool>();
  } else if constexpr (std::same_as<T, std::string>) {
    at.require(in.is_string(), "text", in);
    out = in.get<std::string>();
  } else {
    static_assert(std::same_as<T, json>, "a type that reports do not hold");
    out = in;
  }
}

}  // namespace mha
