#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "report/field_json.h"
#include "report/run_report.h"

/// JSON Schema (draft 2020-12) of what field_to_json writes.
namespace mha {

inline json nullable(json schema) { return {{"anyOf", {std::move(schema), {{"type", "null"}}}}}; }

template <class T>
json schema_of() {
  if constexpr (Section<T>) {
    json properties = json::object(), required = json::array();
    auto visit = [&]<class S, class M>(M S::*, const char* key, const std::string& unit, const std::string& meaning) {
      json property = schema_of<M>();
      property["description"] = unit.empty() ? meaning : meaning + " Unit: " + unit + ".";
      properties[key] = std::move(property);
      required.push_back(key);
    };
    T::fields(visit);
    return {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
  } else if constexpr (is_optional_v<T>) {
    return nullable(schema_of<typename T::value_type>());
  } else if constexpr (is_list_v<T>) {
    return {{"type", "array"}, {"items", schema_of<typename T::value_type>()}};
  } else if constexpr (is_map_v<T>) {
    return {{"type", "object"}, {"additionalProperties", schema_of<typename T::mapped_type>()}};
  } else if constexpr (NamedEnum<T>) {
    return {{"type", "string"}, {"enum", enum_names(T{})}};
  } else if constexpr (std::same_as<T, double>) {
    return {{"type", {"number", "null"}}};
  } else if constexpr (std::same_as<T, std::int64_t>) {
    return {{"type", "integer"}};
  } else if constexpr (std::same_as<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::same_as<T, std::string>) {
    return {{"type", "string"}};
  } else {
    return {{"type", {"object", "null"}}};
  }
}

/// A file of ours: what its schema is called, and the "format" and "format_version" at its head.
struct FileFormat {
  const char* title;
  const char* format;
  std::int64_t version;
};

/// Schema of a file that holds the two keys of its format and then those of T.
template <class T>
json file_schema(const FileFormat& format) {
  json schema = schema_of<T>();
  json properties = {{kFormatKey, {{"const", format.format}, {"description", "What this file is."}}},
                     {kFormatVersionKey, {{"const", format.version}, {"description", "Version of the format."}}}};
  properties.update(schema["properties"]);
  json required = {kFormatKey, kFormatVersionKey};
  required.insert(required.end(), schema["required"].begin(), schema["required"].end());
  json out = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", format.title}};
  schema["properties"] = properties;
  schema["required"] = required;
  out.update(schema);
  return out;
}

}  // namespace mha
