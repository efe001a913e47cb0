#include "unit/config/config_testing.h"

namespace mha {
namespace {

TEST(Schema, RefusesUnknownKeysEverywhere) {
  const json schema = config_schema();
  const std::function<void(const json&, const std::string&)> walk = [&](const json& at, const std::string& path) {
    if (at.contains("properties")) {
      EXPECT_EQ(at.value("additionalProperties", true), false) << path;
      for (const auto& [key, child] : at["properties"].items()) walk(child, path + "." + key);
    }
  };
  walk(schema, "");
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
}

TEST(Schema, SaysTypesBoundsDefaultsAndMeanings) {
  const json schema = config_schema();
  const json& model = schema["properties"]["model"]["properties"];
  EXPECT_EQ(
      model["d_model"],
      json::parse(R"({"description": "Width of the residual stream.", "type": "integer", "minimum": 1, "maximum": 16384,
                                             "default": 512})"));
  EXPECT_EQ(model["dropout"]["exclusiveMaximum"], 1);
  EXPECT_EQ(model["norm"]["enum"], json::array({"pre", "post"}));
  EXPECT_EQ(model["norm"]["default"], "pre");
  EXPECT_EQ(schema["properties"]["extends"]["type"], "string");
}

TEST(Schema, OverridesHoldTheSettingsAndTheirLayers) {
  const json schema = config_schema();
  const json& cross = schema["properties"]["attention"]["properties"]["cross"];
  EXPECT_EQ(cross["type"], json::array({"object", "null"}));
  EXPECT_TRUE(cross["properties"].contains("num_heads"));
  EXPECT_FALSE(cross["properties"]["num_heads"].contains("default")) << "absent means: as in attention";
  const json& layer = cross["properties"]["layers"]["patternProperties"].front();
  EXPECT_TRUE(layer["properties"].contains("num_heads"));
  EXPECT_FALSE(layer["properties"].contains("layers"));
}

}  // namespace
}  // namespace mha
