#include "config/sweep_config.h"

#include "unit/config/config_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using testing::ConfigFiles;
using ::testing::HasSubstr;

constexpr const char* kSection = R"("sweep": {"axes": {"h": [1, 2], "d_k": "16..64+16"}, "seeds": [1, 2],
  "zip": [["h", "d_k"]], "exclude": [{"h": 2}], "points": [{"name": "wide", "d_ff": 9}],
  "hold": "h*d_k", "baseline": "wide"})";

TEST(SweepSection, IsReadBesideTheRunAndIsNoPartOfIt) {
  const ConfigFiles files;
  files.write("with.json", R"({"extends": "base.json", "name": "x", )" + std::string(kSection) + "}");
  files.write("without.json", R"({"extends": "base.json", "name": "x"})");
  const LoadedConfig with = files.load("with.json"), without = files.load("without.json");
  EXPECT_EQ(with.config, without.config);
  EXPECT_EQ(with.resolved, without.resolved);
  EXPECT_EQ(without.sweep, SweepConfig());
  ASSERT_EQ(with.sweep.axes.list.size(), 2U);
  EXPECT_EQ(with.sweep.axes.list[0].name, "h");
  EXPECT_EQ(with.sweep.axes.list[1].values, "16..64+16");
  EXPECT_EQ(with.sweep.zip, (std::vector<std::vector<std::string>>{{"h", "d_k"}}));
  EXPECT_EQ(with.sweep.points.list.at(0)["d_ff"], 9);
  EXPECT_EQ(with.sweep.hold, Hold::budget);
}

TEST(SweepSection, IsRefusedLikeAllElseWhereItIsWrong) {
  const ConfigFiles files;
  EXPECT_THAT(files.refusal_of_file(R"("sweep": {"axis": {"h": [1]}})"), HasSubstr("did you mean axes?"));
  EXPECT_THAT(files.refusal_of_file(R"("swep": {})"), HasSubstr("did you mean sweep?"));
  EXPECT_THAT(files.refusal_of_file(R"("sweep": {"hold": "parms"})"), HasSubstr("did you mean \"params\"?"));
  EXPECT_THAT(files.refusal_of_file(R"("sweep": {"axes": {"h": 4}})"),
              AllOf(HasSubstr("sweep.axes"), HasSubstr("lists or of texts such as \"1..32*2\"")));
  EXPECT_THAT(files.refusal_of_file(R"("sweep": {"seeds": [-1]})"), HasSubstr("sweep.seeds"));
}

TEST(SweepSection, AxesAreMergedWithNullTakingOneBack) {
  const ConfigFiles files;
  files.write("sub/a.json",
              R"({"extends": "../base.json", "sweep": {"axes": {"vocab.model": ["m"], "h": [1], "lr": [1]}}})");
  files.write("b.json",
              R"({"extends": "sub/a.json", "sweep": {"axes": {"lr": null, "h": [2], "data.test.tsv": ["t"]}}})");
  const SweepConfig sweep = files.load("b.json").sweep;
  ASSERT_EQ(sweep.axes.list.size(), 3U);
  EXPECT_EQ(sweep.axes.list[0].folder, files / "sub") << "paths are relative to the file that names them";
  EXPECT_EQ(sweep.axes.list[1].values, json::array({2}));
  EXPECT_EQ(sweep.axes.list[2].folder, (files / "b.json").parent_path());
}

TEST(SweepSection, StandsInTheSchema) {
  const json schema = config_schema()["properties"]["sweep"]["properties"];
  EXPECT_EQ(schema["axes"]["additionalProperties"]["anyOf"][0]["type"], "array");
  EXPECT_EQ(schema["hold"]["enum"], json::array({"nothing", "h*d_k", "params", "flops"}));
  EXPECT_EQ(schema["points"]["items"]["type"], "object");
}

TEST(ReadConfig, LeavesOutTheRulesAcrossKeysOnly) {
  const ConfigFiles files;
  files.write("x.json", R"({"extends": "base.json", "attention": {"num_heads": 3}})");
  EXPECT_THAT(testing::message_of([&] { files.load("x.json"); }), HasSubstr("cannot be divided"));
  EXPECT_EQ(read_config(files / "x.json", {}).config.attention.num_heads, 3);
  EXPECT_THAT(testing::message_of([&] { read_config(files / "x.json", {parse_assignment("seed=x")}); }),
              HasSubstr("seed"));
}

TEST(AssignmentProblems, AreThoseOfTheKeyAlone) {
  EXPECT_TRUE(assignment_problems(parse_assignment("attention.num_heads=3")).empty());
  EXPECT_TRUE(assignment_problems(parse_assignment("optimizer.cooldown_updates=1000")).empty());
  ASSERT_EQ(assignment_problems(parse_assignment("model.d_modle=3")).size(), 1U);
  EXPECT_EQ(assignment_problems(parse_assignment("model.d_modle=3"))[0].suggestion, "did you mean d_model?");
}

TEST(Assignments, MayNameTheFolderOfTheirPaths) {
  const ConfigFiles files;
  const auto config =
      load_config(files / "base.json", {{.path = "vocab.model", .value = "m", .folder = "/x"}}, testing::kinds);
  EXPECT_EQ(config.config.vocab.model, "/x/m");
}

}  // namespace
}  // namespace mha
