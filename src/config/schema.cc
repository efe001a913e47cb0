#include "config/config.h"
#include "config/tree.h"

namespace mha {
namespace {

enum class Defaults { shown, left_out };

json properties(const std::vector<KeyInfo>& keys, Defaults defaults);

json section_schema(const std::vector<KeyInfo>& keys, Defaults defaults) {
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", properties(keys, defaults)}};
}

/// An object of some of the settings, null (nothing is overridden), and by number the layers' own.
json override_schema(const KeyInfo& info) {
  json schema = section_schema(info.keys, Defaults::left_out);
  schema["type"] = {"object", "null"};
  schema["properties"]["layers"] = {
      {"description", "Settings for single layers, by number from 1."},
      {"type", "object"},
      {"additionalProperties", false},
      {"patternProperties", {{"^[1-9][0-9]{0,3}$", section_schema(info.keys, Defaults::left_out)}}}};
  return schema;
}

json key_schema(const KeyInfo& info, Defaults defaults) {
  json schema = {{"description", info.doc}};
  schema.update(info.is_override    ? override_schema(info)
                : info.is_section() ? section_schema(info.keys, defaults)
                                    : info.schema);
  if (!info.is_section() && defaults == Defaults::shown) schema["default"] = info.default_value;
  return schema;
}

json properties(const std::vector<KeyInfo>& keys, Defaults defaults) {
  json all = json::object();
  for (const KeyInfo& info : keys) all[info.key] = key_schema(info, defaults);
  return all;
}

}  // namespace

json config_schema() {
  json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Configuration of mha-train"}};
  schema.update(section_schema(config_tree(), Defaults::shown));
  json all = {{"$schema", {{"description", "Path of this schema, for editors."}, {"type", "string"}}},
              {"extends", {{"description", "File that this one is laid over, relative to it."}, {"type", "string"}}}};
  all.update(schema["properties"]);
  schema["properties"] = std::move(all);
  return schema;
}

}  // namespace mha
