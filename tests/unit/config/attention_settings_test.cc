#include <cmath>

#include "unit/config/config_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;

AttentionSettings with_heads(std::int64_t heads) {
  AttentionSettings settings;
  settings.num_heads = heads;
  return settings;
}

TEST(AttentionSettings, LayerOverPlaceOverAll) {
  AttentionConfig config;
  config.num_heads = 8;
  config.attention_dropout = 0.3;
  config.cross.patch = {{"num_heads", 4}, {"layers", {{"2", {{"num_heads", 2}, {"d_k", "ceil"}}}}}};
  EXPECT_EQ(attention_settings(config, AttnPlace::encoder_self, 2).num_heads, 8);
  EXPECT_EQ(attention_settings(config, AttnPlace::decoder_self, 2).num_heads, 8);
  EXPECT_EQ(attention_settings(config, AttnPlace::cross, 1).num_heads, 4);
  const AttentionSettings second = attention_settings(config, AttnPlace::cross, 2);
  EXPECT_EQ(second.num_heads, 2);
  EXPECT_EQ(second.d_k->word, "ceil");
  EXPECT_EQ(second.attention_dropout, 0.3);
}

TEST(AttentionSettings, NullInAPlaceTakesBackTheWidth) {
  AttentionConfig config;
  config.d_k = ValueOrWord<std::int64_t>::of(16);
  config.encoder_self.patch = {{"d_k", nullptr}};
  EXPECT_FALSE(attention_settings(config, AttnPlace::encoder_self, 1).d_k.has_value());
  EXPECT_EQ(attention_settings(config, AttnPlace::cross, 1).d_k->value, 16);
}

TEST(AttentionSettings, PatchesThatAreWrongAreRefused) {
  AttentionConfig config;
  config.cross.patch = {{"num_heads", "four"}};
  EXPECT_THAT(message_of([&] { attention_settings(config, AttnPlace::cross, 1); }),
              HasSubstr("attention.cross.num_heads"));
}

TEST(HeadDims, AreFreeOfTheModelsWidth) {
  AttentionSettings settings = with_heads(4);
  settings.d_k = ValueOrWord<std::int64_t>::of(3);
  EXPECT_EQ(head_dims(settings, 6), (HeadDims{.d_model = 6, .heads = 4, .d_k = 3, .d_v = 3}));
  settings.d_v = 5;
  EXPECT_EQ(head_dims(settings, 6).d_v, 5);
}

TEST(HeadDims, DefaultIsAnEvenShare) {
  EXPECT_EQ(head_dims(with_heads(8), 512), (HeadDims{.d_model = 512, .heads = 8, .d_k = 64, .d_v = 64}));
  EXPECT_EQ(head_dims(with_heads(1), 512).d_k, 512);
}

TEST(HeadDims, CeilRoundsUp) {
  AttentionSettings settings = with_heads(12);
  settings.d_k = ValueOrWord<std::int64_t>::of_word("ceil");
  EXPECT_EQ(head_dims(settings, 512).d_k, 43);
  settings.num_heads = 8;
  EXPECT_EQ(head_dims(settings, 512).d_k, 64);
}

TEST(HeadDims, UnevenShareNamesBothNumbersAndTheRemedies) {
  EXPECT_THAT(
      message_of([] { head_dims(with_heads(3), 10); }),
      AllOf(HasSubstr("d_model 10"), HasSubstr("num_heads 3"), HasSubstr("\"ceil\" (4)"), HasSubstr("1, 2, 5, 10")));
}

TEST(ScoreScale, WordsAndNumbers) {
  AttentionSettings settings;
  EXPECT_DOUBLE_EQ(score_scale(settings, 16), 0.25);
  EXPECT_DOUBLE_EQ(score_scale(settings, 3), 1 / std::sqrt(3.0));
  settings.scale = ValueOrWord<double>::of_word("none");
  EXPECT_EQ(score_scale(settings, 16), 1);
  settings.scale = ValueOrWord<double>::of(0.125);
  EXPECT_EQ(score_scale(settings, 16), 0.125);
}

}  // namespace
}  // namespace mha
