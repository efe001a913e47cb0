#include "sweep/axis.h"

#include "config/short_names.h"
#include "unit/sweep/plan_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using ::testing::Not;

std::string refusal(const std::string& token) {
  return message_of([&] { parse_axis(token); });
}

TEST(AxisNames, ShortOnesStandForPathsAndBack) {
  EXPECT_EQ(axis_path("h"), "attention.num_heads");
  EXPECT_EQ(axis_name("attention.num_heads"), "h");
  EXPECT_EQ(axis_path("lr"), "optimizer.lr");
  EXPECT_EQ(axis_path("model.dropout"), "model.dropout");
  EXPECT_EQ(axis_name("model.dropout"), "model.dropout");
}

TEST(AxisNames, OneAxisHasOneNameHoweverWritten) {
  EXPECT_EQ(parse_axis("attention.d_k=8").name, "d_k");
  EXPECT_EQ(parse_axis("d_k=8").path, "attention.d_k");
}

TEST(Axis, TakesEveryKindOfKey) {
  EXPECT_EQ(json(parse_axis("h=1..8*2").values), json({1, 2, 4, 8}));
  EXPECT_EQ(json(parse_axis("d_k=null,ceil,16").values), json({nullptr, "ceil", 16}));
  EXPECT_EQ(json(parse_axis("model.norm=pre,post").values), json({"pre", "post"}));
  EXPECT_EQ(json(parse_axis("optimizer.betas=[0.9,0.98],[0.9,0.999]").values).dump(), "[[0.9,0.98],[0.9,0.999]]");
  EXPECT_EQ(json(parse_axis("attention.cross.layers.2.num_heads=1,2").values), json({1, 2}));
  EXPECT_EQ(json(parse_axis(R"(attention.cross={"num_heads":2},null)").values).dump(), R"([{"num_heads":2},null])");
  EXPECT_EQ(json(parse_axis("model.bias=true,false").values), json({true, false}));
  EXPECT_EQ(json(parse_axis("seed=1..3").values), json({1, 2, 3}));
}

TEST(Axis, TokensOfAnotherFormAreRefused) {
  for (const char* token : {"h", "h=", "=1,2", ""}) {
    EXPECT_THAT(refusal(token), AllOf(HasSubstr(std::string("axis ") + token), HasSubstr("h=1,2,4"))) << token;
  }
  EXPECT_THAT(refusal("h=\xFF"), HasSubstr("not UTF-8"));
}

TEST(Axis, UnknownKeysAreRefusedWithAHint) {
  EXPECT_THAT(refusal("hh=1,2"), AllOf(HasSubstr("axis hh=1,2: hh is no key"), HasSubstr("did you mean h?")));
  EXPECT_THAT(refusal("dk=8"), HasSubstr("did you mean d_k?"));
  EXPECT_THAT(refusal("H=8"), HasSubstr("did you mean h?"));
  EXPECT_THAT(refusal("heads=8"), HasSubstr("did you mean attention.num_heads?"));
  EXPECT_THAT(refusal("warmup_updates=8"), HasSubstr("warmup_updates belongs to optimizer"));
  EXPECT_THAT(refusal("model.droput=0.1"), HasSubstr("did you mean dropout?"));
  EXPECT_THAT(refusal("z=1"), AllOf(HasSubstr("z is no key"), Not(HasSubstr("mean h"))));
  EXPECT_THAT(refusal("model..dropout=0.1"), HasSubstr("is not a path of keys"));
  EXPECT_THAT(refusal("seed.x=1"), HasSubstr("seed"));
}

TEST(Axis, ValuesThatTheKeyCannotHaveAreRefused) {
  EXPECT_THAT(refusal("h=1,two"),
              AllOf(HasSubstr("axis h=1,two"), HasSubstr("must be an integer from 1 to 1024, not \"two\"")));
  EXPECT_THAT(refusal("h=0"), HasSubstr("not 0"));
  EXPECT_THAT(refusal("h=1..4*1.5"), HasSubstr("not 1.5"));
  EXPECT_THAT(refusal("model.dropout=1"), HasSubstr("must be a number from 0 to below 1, not 1"));
  EXPECT_THAT(refusal("model.norm=pst"), HasSubstr("did you mean \"post\"?"));
  EXPECT_THAT(refusal("seed=-1"), HasSubstr("not -1"));
  EXPECT_THAT(refusal("attention=3"), HasSubstr("must be an object"));
}

TEST(Axis, KeysThatChangeNoResultAreRefused) {
  EXPECT_THAT(refusal("threads=1,2"), AllOf(HasSubstr("threads cannot be an axis"), HasSubstr("--set threads=")));
  EXPECT_THAT(refusal("data.cache_dir=a,b"), HasSubstr("cannot be an axis"));
  EXPECT_THAT(refusal("run_dir=a,b"), HasSubstr("its own folder"));
  EXPECT_THAT(refusal("name=a,b"), HasSubstr("its own folder"));
  EXPECT_THAT(refusal("train.log_interval=1,2"), HasSubstr("cannot be an axis"));
  EXPECT_THAT(refusal("sweep.hold=params"), HasSubstr("describes the grid"));
  EXPECT_THAT(refusal("extends=a.json"), HasSubstr("can only stand in a file"));
}

TEST(Axis, WholeSectionsAreRefused) {
  EXPECT_THAT(refusal(R"(model={"d_model":8})"), AllOf(HasSubstr("whole section"), HasSubstr("one axis each")));
  EXPECT_THAT(refusal(R"(data={"cache_dir":"x"})"), HasSubstr("whole section"));
}

TEST(FileAxis, IsAListOrText) {
  EXPECT_EQ(json(axis_of_file({"h", json({1, 2.0}), "/x"}).values).dump(), "[1,2]");
  EXPECT_EQ(json(axis_of_file({"h", "1..4*2", "/x"}).values), json({1, 2, 4}));
  EXPECT_EQ(axis_of_file({"h", "1", "/x"}).folder, "/x");
  EXPECT_THAT(message_of([] {
                axis_of_file({"hh", json({1}), ""});
              }),
              AllOf(HasSubstr("sweep.axes.hh"), HasSubstr("did you mean h?")));
  EXPECT_THAT(message_of([] { axis_of_file({"h", json({"1"}), ""}); }), HasSubstr("not \"1\""));
}

TEST(Settings, AreReadFromText) {
  const auto settings = parse_settings("h=8,d_k=64", "--baseline");
  ASSERT_EQ(settings.size(), 2U);
  EXPECT_EQ(settings[1].path, "attention.d_k");
  EXPECT_EQ(settings[1].value, 64);
  EXPECT_THAT(message_of([] { parse_settings("h=1..4", "--baseline"); }), HasSubstr("one value"));
}

TEST(ValueText, IsWithoutQuotesOnOneLine) {
  EXPECT_EQ(value_text("pre"), "pre");
  EXPECT_EQ(value_text(0.1), "0.1");
  EXPECT_EQ(value_text(json({0.9, 0.98})), "[0.9,0.98]");
  EXPECT_EQ(value_text(nullptr), "null");
  EXPECT_EQ(value_text("a\nb"), "\"a\\nb\"");
}

}  // namespace
}  // namespace mha
