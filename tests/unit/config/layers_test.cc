#include "config/layers.h"

#include "unit/config/config_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using testing::ConfigFiles;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using ::testing::Pair;

TEST(Files, CommentsAndAByteOrderMarkAreAccepted) {
  const ConfigFiles files;
  files.write("x.json",
              "\xEF\xBB\xBF{ // here\n\"extends\": \"base.json\", /* there */ \"$schema\": \"s.json\", \"seed\": 7}");
  EXPECT_EQ(files.load("x.json").config.seed, 7);
}

TEST(Files, RepeatedKeysTrailingTextAndOtherValuesAreRefused) {
  const ConfigFiles files;
  EXPECT_THAT(files.refusal_of_file(R"("optimizer": {"lr": 1, "lr": 2})"),
              AllOf(HasSubstr("x.json"), HasSubstr("optimizer.lr stands twice")));
  files.write("trailing.json", "{} x");
  EXPECT_THAT(message_of([&] { files.load("trailing.json"); }),
              AllOf(HasSubstr("trailing.json"), HasSubstr("column 4")));
  files.write("list.json", "[1]");
  EXPECT_THAT(message_of([&] { files.load("list.json"); }), HasSubstr("a configuration is a JSON object, not [1]"));
}

TEST(Extends, ObjectsAreMergedAndListsReplaced) {
  const ConfigFiles files;
  files.write("a.json",
              R"({"extends": "base.json", "model": {"d_model": 64, "d_ff": 8}, "optimizer": {"betas": [0.1, 0.2]},
                            "data": {"train": {"source": ["1", "2"], "target": ["1", "2"]}}})");
  files.write("b.json", R"({"extends": "a.json", "model": {"d_ff": 9}, "optimizer": {"betas": [0.5, 0.6]},
                            "data": {"train": {"source": ["3"], "target": ["3"]}}})");
  const RunConfig config = files.load("b.json").config;
  EXPECT_EQ(config.model.d_model, 64);
  EXPECT_EQ(config.model.d_ff, 9);
  EXPECT_THAT(config.optimizer.betas, ElementsAre(0.5, 0.6));
  EXPECT_THAT(config.data.train.source, ElementsAre(files / "3"));
}

TEST(Extends, NullTakesBackAnOverrideAndAnOptionalValue) {
  const ConfigFiles files;
  files.write("a.json",
              R"({"extends": "base.json", "train": {"max_epoch": 3},
                  "attention": {"cross": {"num_heads": 2, "layers": {"1": {}}}}})");
  files.write("b.json", R"({"extends": "a.json", "train": {"max_epoch": null}, "attention": {"cross": null}})");
  files.write("c.json", R"({"extends": "b.json", "attention": {"cross": {"d_k": 4}}})");
  EXPECT_FALSE(files.load("b.json").config.train.max_epoch.has_value());
  EXPECT_TRUE(files.load("b.json").config.attention.cross.patch.empty());
  EXPECT_EQ(files.load("c.json").config.attention.cross.patch, json({{"d_k", 4}}));
}

TEST(Extends, IsRelativeToTheFileThatSaysSo) {
  const ConfigFiles files;
  files.write("sub/deep/a.json", R"({"extends": "../b.json"})");
  files.write("sub/b.json", R"({"extends": "../base.json", "seed": 3})");
  EXPECT_EQ(files.load("sub/deep/a.json").config.seed, 3);
}

TEST(Extends, CirclesAreNamed) {
  const ConfigFiles files;
  files.write("a.json", R"({"extends": "sub/b.json"})");
  files.write("sub/b.json", R"({"extends": "../a.json"})");
  EXPECT_THAT(message_of([&] { files.load("a.json"); }),
              AllOf(HasSubstr("circle"), HasSubstr("a.json -> "), HasSubstr("b.json -> ")));
  files.write("self.json", R"({"extends": "self.json"})");
  EXPECT_THAT(message_of([&] { files.load("self.json"); }), HasSubstr("circle"));
  for (int i = 0; i < 60; ++i)
    files.write(std::to_string(i) + ".json", R"({"extends": ")" + std::to_string(i + 1) + R"(.json"})");
  files.write("60.json", "{}");
  EXPECT_THAT(message_of([&] { files.load("0.json"); }), HasSubstr("more than 50 configuration files"));
  EXPECT_THAT(message_of([&] { files.load("20.json"); }), ::testing::Not(HasSubstr("configuration files")));
}

TEST(Extends, MissingFilesAreNamedWithTheChain) {
  const ConfigFiles files;
  files.write("a.json", R"({"extends": "b.json"})");
  files.write("b.json", R"({"extends": "none.json"})");
  EXPECT_THAT(message_of([&] { files.load("a.json"); }),
              AllOf(HasSubstr("none.json: no such file"), HasSubstr("a.json -> "), HasSubstr("b.json -> ")));
  files.write("c.json", R"({"extends": 3})");
  EXPECT_THAT(message_of([&] { files.load("c.json"); }),
              AllOf(HasSubstr("c.json"), HasSubstr("extends"), HasSubstr("not 3")));
}

TEST(Extends, NamesThatNoFileCanHaveAreRefused) {
  const ConfigFiles files;
  files.write("a.json", R"({"extends": ")" + std::string(300, 'x') + R"("})");
  EXPECT_THAT(message_of([&] { files.load("a.json"); }), AllOf(HasSubstr("File name too long"), HasSubstr(" -> ")));
}

TEST(Paths, AreRelativeToTheFileThatSetsThemOrToTheWorkingFolder) {
  const ConfigFiles files;
  files.write("sub/a.json",
              R"({"extends": "../base.json", "vocab": {"model": "/m"},
                  "data": {"test": {"source": "x.en", "target": ["../y.de"]}}})");
  const RunConfig config = files.load("sub/a.json", {"data.valid.tsv=v.tsv", "run_dir=out"}).config;
  EXPECT_THAT(config.data.train.source, ElementsAre(files / "t.en"));
  EXPECT_THAT(config.data.test.source, ElementsAre(files / "sub/x.en"));
  EXPECT_THAT(config.data.test.target, ElementsAre(files / "y.de"));
  EXPECT_EQ(config.vocab.model, "/m");
  EXPECT_THAT(config.data.valid.tsv, ElementsAre(std::filesystem::current_path() / "v.tsv"));
  EXPECT_EQ(config.run_dir, "out");
  EXPECT_TRUE(config.data.test.annotations.empty());
}

TEST(Set, ValuesAreJsonOrElseText) {
  const ConfigFiles files;
  const RunConfig config =
      files.with({"model.d_model=64", "model.bias=false", "train.max_epoch=null", "optimizer.betas=[0.1,0.2]",
                  R"(attention.cross={"num_heads": 4})", "model.norm=post", R"(name="quoted")"});
  EXPECT_EQ(config.model.d_model, 64);
  EXPECT_FALSE(config.model.bias);
  EXPECT_THAT(config.optimizer.betas, ElementsAre(0.1, 0.2));
  EXPECT_EQ(config.attention.cross.patch, json({{"num_heads", 4}}));
  EXPECT_EQ(config.model.norm, NormPlace::post);
  EXPECT_EQ(config.name, "quoted");
}

TEST(Set, TextKeysTakeWhatLooksLikeANumber) {
  const ConfigFiles files;
  EXPECT_EQ(files.with({"run_dir=007"}).run_dir, "007");
  EXPECT_EQ(files.with({"name=1e3"}).name, "1e3");
  EXPECT_EQ(files.with({"name=true"}).name, "true");
  EXPECT_THAT(files.with({"data.train.source=1", "data.train.target=2"}).data.train.source,
              ElementsAre(std::filesystem::current_path() / "1"));
  EXPECT_THAT(files.refusal_of_file(R"("name": 3)"), HasSubstr("name"));
}

TEST(Set, TheLastOneWinsAndReachesIntoLayers) {
  const ConfigFiles files;
  const RunConfig config =
      files.with({"seed=1", "attention.cross.layers.2.num_heads=4", "seed=2", "attention.cross.layers.2.d_k=9"});
  EXPECT_EQ(config.seed, 2);
  EXPECT_EQ(attention_settings(config.attention, AttnPlace::cross, 2).num_heads, 4);
  EXPECT_EQ(attention_settings(config.attention, AttnPlace::cross, 2).d_k->value, 9);
  EXPECT_EQ(attention_settings(config.attention, AttnPlace::cross, 1).num_heads, 8);
}

TEST(Set, NothingLiesBelowAValueOrAList) {
  const ConfigFiles files;
  EXPECT_THAT(
      files.refusal({"train.max_update.x=1"}),
      AllOf(HasSubstr("train.max_update is 10 (" + (files / "base.json").string() + ")"), HasSubstr("not a section")));
  EXPECT_THAT(files.refusal({"data.train.source.0=a"}), HasSubstr("data.train.source is"));
  EXPECT_THAT(files.refusal({"seed=1", "seed.x=1"}), HasSubstr("seed is 1 (--set)"));
}

TEST(Set, BadPathsAndBrokenJsonAreRefused) {
  const ConfigFiles files;
  EXPECT_THAT(files.refusal({"model..d_model=3"}), HasSubstr("is not a path of keys"));
  EXPECT_THAT(files.refusal({"extends=base.json"}), HasSubstr("can only stand in a file"));
  EXPECT_THAT(files.refusal({"optimizer.betas=[1,"}), HasSubstr("not valid JSON"));
  EXPECT_THAT(files.refusal({R"(model={"bias": true, "bias": false})"}), HasSubstr("bias stands twice"));
  EXPECT_THAT(files.refusal({"seed"}), HasSubstr("seed (--set): is no assignment: write KEY=VALUE"));
  EXPECT_THAT(files.refusal({"=3"}), HasSubstr("write KEY=VALUE"));
  EXPECT_EQ(parse_assignment("name=a=b").value, "a=b");
}

TEST(Set, WhatIsMalformedIsToldWithAllElse) {
  const ConfigFiles files;
  const std::string refusal = files.refusal({"seed", "model.d_modle=3", "optimizer.lr=-1"});
  EXPECT_THAT(refusal, AllOf(HasSubstr("KEY=VALUE"), HasSubstr("d_model?"), HasSubstr("optimizer.lr (--set)")));
  EXPECT_EQ(testing::problem_count(refusal), 3U);
}

TEST(Set, WhatIsNotUtf8IsRefused) {
  const ConfigFiles files;
  EXPECT_THAT(files.refusal({"run_dir=runs/\xFF"}), HasSubstr("run_dir (--set): is not UTF-8"));
  EXPECT_THAT(files.refusal({"\xFF=1"}), HasSubstr("is not UTF-8"));
  files.write("\xFF.json", R"({"extends": "base.json"})");
  EXPECT_THAT(message_of([&] { files.load("\xFF.json"); }), HasSubstr("is not UTF-8: rename it"));
}

TEST(Set, OtherOriginsAreNamed) {
  const ConfigFiles files;
  EXPECT_THAT(message_of([&] {
                load_config(files / "base.json", {{"seed", "x", "--seed"}}, testing::kinds);
              }),
              HasSubstr("seed (--seed)"));
}

TEST(Origins, FollowTheLastThatSetTheKey) {
  const ConfigFiles files;
  files.write(
      "a.json",
      R"({"extends": "base.json", "model": {"d_model": 64, "d_ff": 8}, "attention": {"cross": {"num_heads": 2}}})");
  const auto origins = files.load("a.json", {"model.d_ff=9"}).origins;
  const std::string a = (files / "a.json").string();
  EXPECT_THAT(origins, Contains(Pair("model.d_model", a)));
  EXPECT_THAT(origins, Contains(Pair("model.d_ff", "--set")));
  EXPECT_THAT(origins, Contains(Pair("attention.cross.num_heads", a)));
  EXPECT_THAT(origins, Contains(Pair("train.max_update", (files / "base.json").string())));
  EXPECT_EQ(origins.size(), 6U) << "keys left to their defaults have none";
}

TEST(Name, IsThatOfTheFileUnlessSet) {
  const ConfigFiles files;
  EXPECT_EQ(files.load("base.json").config.name, "base");
  EXPECT_EQ(files.with({"name="}).name, "base");
  EXPECT_EQ(files.with({"name=other"}).name, "other");
}

}  // namespace
}  // namespace mha
