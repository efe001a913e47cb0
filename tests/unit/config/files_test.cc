#include <algorithm>

#include "unit/config/config_testing.h"

// The files in configs/ resolve and pass every rule, so that none of them rots.
namespace mha {
namespace {

using ::testing::HasSubstr;

std::vector<std::filesystem::path> config_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(MHA_SOURCE_DIR "/configs")) {
    // base.json is to be extended and names no data.
    if (entry.path().extension() == ".json" && entry.path().filename() != "base.json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

class ConfigFile : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ConfigFile, ResolvesAndReadsBackTheSame) {
  const LoadedConfig loaded = load_config(GetParam(), {}, testing::kinds);
  EXPECT_EQ(config_from_json(loaded.resolved, "the resolved form"), loaded.config);
  EXPECT_EQ(loaded.config.name, GetParam().stem());
  EXPECT_TRUE(loaded.config.data.valid.given());
  EXPECT_TRUE(loaded.config.data.test.given());
}

TEST_P(ConfigFile, NamesDataInsideTheProject) {
  const LoadedConfig loaded = load_config(GetParam(), {}, testing::kinds);
  for (const SplitConfig* split : {&loaded.config.data.train, &loaded.config.data.valid, &loaded.config.data.test}) {
    for (const auto& path : split->source) EXPECT_TRUE(path.string().starts_with(MHA_SOURCE_DIR "/data/")) << path;
    for (const auto& path : split->target) EXPECT_TRUE(path.string().starts_with(MHA_SOURCE_DIR "/data/")) << path;
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, ConfigFile, ::testing::ValuesIn(config_files()), [](const auto& tested) {
  std::string name = std::filesystem::relative(tested.param, MHA_SOURCE_DIR "/configs").replace_extension().string();
  std::ranges::replace(name, '/', '_');
  return name;
});

RunConfig claim(const std::string& name) {
  return load_config(MHA_SOURCE_DIR "/configs/claims/" + name + ".json", {}, testing::kinds).config;
}

TEST(Claims, ChangeAttentionAlone) {
  const RunConfig standard = claim("standard");
  for (const auto& file : config_files()) {
    if (file.parent_path().filename() != "claims") continue;
    RunConfig config = claim(file.stem());
    config.attention = standard.attention;
    config.name = standard.name;
    EXPECT_EQ(config, standard) << file;
  }
}

TEST(Claims, HaveTheDimensionsThatTheyAreAbout) {
  const auto dims = [](const std::string& name) {
    const RunConfig config = claim(name);
    return head_dims(attention_settings(config.attention, AttnPlace::cross, 1), config.model.d_model);
  };
  EXPECT_EQ(dims("standard"), (HeadDims{.d_model = 512, .heads = 8, .d_k = 64, .d_v = 64}));
  EXPECT_EQ(dims("one_head"), (HeadDims{.d_model = 512, .heads = 1, .d_k = 512, .d_v = 512}));
  EXPECT_EQ(dims("many_narrow_heads"), (HeadDims{.d_model = 512, .heads = 32, .d_k = 16, .d_v = 16}));
  EXPECT_EQ(dims("ceil_12"), (HeadDims{.d_model = 512, .heads = 12, .d_k = 43, .d_v = 43}));
  EXPECT_EQ(dims("unscaled").d_k, 128);
  EXPECT_EQ(score_scale(claim("unscaled").attention, 128), 1);
  EXPECT_FALSE(claim("no_output_projection").attention.output_projection);
}

}  // namespace
}  // namespace mha
