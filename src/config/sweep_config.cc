#include "config/sweep_config.h"

namespace mha {

std::string ValueType<GridAxes>::words(const Rule&) {
  return "an object of lists or of texts such as \"1..32*2\", by key";
}

json ValueType<GridAxes>::schema(const Rule&) {
  const json list = {{"type", "array"}, {"minItems", 1}};
  const json text = {{"type", "string"}, {"minLength", 1}};
  const json values = {{"anyOf", json::array({list, text, json{{"type", "null"}}})}};
  return {{"type", "object"}, {"propertyNames", {{"minLength", 1}}}, {"additionalProperties", values}};
}

json ValueType<GridAxes>::write(const GridAxes& axes) {
  json out = json::object();
  for (const GridAxis& axis : axes.list) out[axis.name] = axis.values;
  return out;
}

bool ValueType<GridAxes>::read(const json& in, const Rule&, const Source& source, GridAxes& out) {
  if (!in.is_object()) return false;
  GridAxes axes;
  for (const auto& [name, values] : in.items()) {
    if (values.is_null()) continue;
    const bool fits = (values.is_array() || values.is_string()) && !values.empty() && values != "";
    if (!fits || name.empty()) return false;
    axes.list.push_back({.name = name, .values = values, .folder = source.folder});
  }
  out = std::move(axes);
  return true;
}

std::string ValueType<GridPoints>::words(const Rule&) { return "a list of objects, each of values by key"; }

json ValueType<GridPoints>::schema(const Rule&) {
  return {{"type", "array"}, {"items", {{"type", "object"}, {"minProperties", 1}}}};
}

json ValueType<GridPoints>::write(const GridPoints& points) {
  json out = json::array();
  for (const json& point : points.list) out.push_back(point);
  return out;
}

bool ValueType<GridPoints>::read(const json& in, const Rule&, const Source& source, GridPoints& out) {
  const auto fits = [](const json& point) { return point.is_object() && !point.empty(); };
  if (!in.is_array() || !std::ranges::all_of(in, fits)) return false;
  out = {.list = {in.begin(), in.end()}, .folder = source.folder};
  return true;
}

}  // namespace mha
