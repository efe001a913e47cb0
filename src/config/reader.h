#pragma once

#include <string>
#include <vector>

#include "config/hints.h"
#include "config/layers.h"
#include "config/values.h"
#include "config/writer.h"

namespace mha {

/// Collects the problems of one reading, each with the origin of its key.
class ProblemList {
 public:
  ProblemList(const Layers& layers, Problems& problems) : layers_(layers), problems_(problems) {}
  const Source& source(const std::string& path) const { return layers_.source(path); }
  void add(const std::string& path, std::string message, std::string suggestion = "") {
    problems_.push_back({path, std::move(message), source(path).label, std::move(suggestion)});
  }

 private:
  const Layers& layers_;
  Problems& problems_;
};

/// Reads `in` into `out`; keys that are absent keep their value. `extra`: a key that the caller sees to.
template <Section S>
void read_section(const json& in, const std::string& path, ProblemList& problems, S& out,
                  const std::string& extra = "");

/// The layer number of a key of "layers", or 0: "2", not "02", "0" or "two".
std::int64_t layer_number(const std::string& key);

/// Checks some keys of S and gives them back in the order of the table, numbers in one notation.
template <Section S>
json read_patch(const json& in, const std::string& path, ProblemList& problems, const std::string& extra) {
  S settings;
  read_section(in, path, problems, settings, extra);
  const json written = section_to_json(settings);
  json patch = json::object();
  for (const auto& [key, value] : written.items()) {
    if (in.contains(key)) patch[key] = value;
  }
  return patch;
}

template <Section S>
void read_override(const json& in, const std::string& path, ProblemList& problems, Override<S>& out) {
  if (in.is_null()) return;  // takes back what a file below said
  if (!in.is_object()) return problems.add(path, "must be an object or null, not " + shown(in));
  out.patch = read_patch<S>(in, path, problems, "layers");
  if (!in.contains("layers")) return;
  const std::string layers_path = path + ".layers";
  const json& layers = in["layers"];
  if (!layers.is_object())
    return problems.add(layers_path, "must be an object such as {\"1\": {…}}, not " + shown(layers));
  std::map<std::int64_t, json> by_number;
  for (const auto& [key, value] : layers.items()) {
    const std::string layer_path = join_path(layers_path, key);
    if (layer_number(key) == 0) {
      problems.add(layer_path, "is not the number of a layer, counted from 1");
    } else if (!value.is_object()) {
      problems.add(layer_path, "must be an object, not " + shown(value));
    } else {
      by_number[layer_number(key)] = read_patch<S>(value, layer_path, problems, "");
    }
  }
  for (auto& [number, patch] : by_number) out.patch["layers"][std::to_string(number)] = std::move(patch);
}

template <Section S>
struct ReadVisitor {
  const json& in;
  const std::string& path;
  ProblemList& problems;
  S& out;
  std::vector<std::string> known = {};

  template <class T, class C>
  void operator()(T C::*member, const char* key, const Rule& rule, const char*) {
    known.emplace_back(key);
    const auto found = in.find(key);
    if (found == in.end()) return;
    const std::string inner = join_path(path, key);
    T& value = out.*member;
    if constexpr (Section<T>) {
      if (!found->is_object()) return problems.add(inner, "must be an object, not " + shown(*found));
      read_section(*found, inner, problems, value);
    } else if constexpr (requires { value.patch; }) {
      read_override(*found, inner, problems, value);
    } else if (!ValueType<T>::read(*found, rule, problems.source(inner), value)) {
      const auto words = words_taken<T>(rule);
      problems.add(inner, "must be " + ValueType<T>::words(rule) + ", not " + shown(*found),
                   found->is_string() ? hint_for_word(found->template get<std::string>(), words) : "");
    }
  }
};

template <Section S>
void read_section(const json& in, const std::string& path, ProblemList& problems, S& out, const std::string& extra) {
  ReadVisitor<S> visitor{in, path, problems, out};
  S::fields(visitor);
  if (!extra.empty()) visitor.known.push_back(extra);
  for (const auto& [key, value] : in.items()) {
    if (std::ranges::find(visitor.known, key) != visitor.known.end()) continue;
    problems.add(join_path(path, key), "unknown key", hint_for_key(path, key, visitor.known));
  }
}

/// Throws UserError that lists the problems if there are any; `what` names the configuration as a whole.
void throw_problems(const Problems& problems, const std::string& what);

}  // namespace mha
