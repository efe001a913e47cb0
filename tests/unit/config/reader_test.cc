#include "unit/config/config_testing.h"

// Case W1: what users misspell and mistype is refused before any work, not rounded, wrapped or ignored.
namespace mha {
namespace {

using ::testing::AllOf;
using testing::ConfigFiles;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::problem_count;

TEST(UnknownKey, NamesSectionFileAndTheNearKey) {
  const ConfigFiles files;
  EXPECT_THAT(files.refusal_of_file(R"("model": {"d_modle": 32})"),
              AllOf(HasSubstr("model.d_modle"), HasSubstr("x.json"), HasSubstr("unknown key; did you mean d_model?")));
  EXPECT_THAT(files.refusal_of_file(R"("modle": {"d_model": 32})"), HasSubstr("modle ("));
  EXPECT_THAT(files.refusal_of_file(R"("data": {"train": {"sources": []}})"), HasSubstr("data.train.sources"));
  EXPECT_THAT(files.refusal({"attention.cross.layers.1.num_head=2"}),
              AllOf(HasSubstr("attention.cross.layers.1.num_head (--set)"), HasSubstr("did you mean num_heads?")));
}

TEST(UnknownKey, KnowsTheSectionWhereItBelongs) {
  const ConfigFiles files;
  EXPECT_THAT(files.refusal({"train.dropout=0.1"}), HasSubstr("dropout belongs to model"));
  EXPECT_THAT(files.refusal({"d_model=8"}), HasSubstr("d_model belongs to model"));
  EXPECT_THAT(files.refusal({"train.max_tokens=8"}), HasSubstr("max_tokens belongs to data or decode"));
  EXPECT_THAT(files.refusal({"model.seed=8"}), HasSubstr("seed belongs to the top level"));
  EXPECT_THAT(files.refusal_of_file(R"("model": {"extends": "y.json"})"),
              HasSubstr("extends belongs to the top level"));
}

TEST(UnknownKey, ShortNamesLeadToTheFullOne) {
  const ConfigFiles files;
  EXPECT_THAT(files.refusal({"attention.heads=3"}), HasSubstr("did you mean num_heads?"));
  EXPECT_THAT(files.refusal({"heads=3"}), HasSubstr("did you mean attention.num_heads?"));
  EXPECT_THAT(files.refusal({"optimizer.warmup=3"}), HasSubstr("did you mean warmup_updates?"));
}

TEST(Integer, TakesWholeNumbersOnly) {
  const ConfigFiles files;
  for (const char* bad : {"3.7", "true", "\"4\"", "null", "[4]", "{}", "-1", "0", "1e300", "9223372036854775808"}) {
    EXPECT_THAT(files.refusal_of_file(std::string(R"("attention": {"num_heads": )") + bad + "}"),
                AllOf(HasSubstr("attention.num_heads"), HasSubstr("must be an integer from 1 to 1024, not")))
        << bad;
  }
  EXPECT_EQ(files.with({"model.d_ff=1e3"}).model.d_ff, 1000);
  EXPECT_EQ(files.with({"model.d_ff=64.0"}).model.d_ff, 64);
}

TEST(Integer, SeedsThatDoNotFitAreRefusedNotWrapped) {
  const ConfigFiles files;
  EXPECT_EQ(files.with({"seed=4294967295"}).seed, 4294967295);
  EXPECT_EQ(files.with({"seed=0"}).seed, 0);
  for (const char* bad : {"5000000000", "4294967296", "-1", "18446744073709551616"}) {
    EXPECT_THAT(files.refusal({std::string("seed=") + bad}),
                HasSubstr("seed (--set): must be an integer from 0 to 4294967295"))
        << bad;
  }
}

TEST(Integer, BeyondExactnessIsSaidToBeTooLarge) {
  const ConfigFiles files;
  EXPECT_THAT(files.refusal({"train.max_update=9223372036854775808"}), HasSubstr("too large"));
  EXPECT_THAT(files.refusal({"train.max_update=9007199254740993"}), HasSubstr("too large"));
  EXPECT_EQ(files.with({"train.max_update=9007199254740992"}).train.max_update, 9007199254740992);
}

TEST(Number, TakesNumbersInRangeOnly) {
  const ConfigFiles files;
  for (const char* bad : {"\"1e-3\"", "true", "null", "0", "-1", "[1]"}) {
    EXPECT_THAT(files.refusal_of_file(std::string(R"("optimizer": {"lr": )") + bad + "}"), HasSubstr("optimizer.lr"))
        << bad;
  }
  EXPECT_THAT(files.refusal_of_file(R"("optimizer": {"lr": 1e999})"), AllOf(HasSubstr("x.json"), HasSubstr("1e999")));
  EXPECT_THAT(files.refusal({"optimizer.lr=1e999"}), HasSubstr("must be a number above 0, not \"1e999\""));
  EXPECT_THAT(files.refusal({"model.dropout=1"}), HasSubstr("must be a number from 0 to below 1, not 1"));
  EXPECT_EQ(files.with({"model.dropout=0"}).model.dropout, 0);
  EXPECT_EQ(files.with({"optimizer.lr=1"}).optimizer.lr, 1);
}

TEST(Boolean, TakesTrueAndFalseOnly) {
  const ConfigFiles files;
  for (const char* bad : {"1", "0", "\"true\"", "yes", "null"}) {
    EXPECT_THAT(files.refusal({std::string("model.bias=") + bad}),
                HasSubstr("model.bias (--set): must be true or false"))
        << bad;
  }
  EXPECT_FALSE(files.with({"model.bias=false"}).model.bias);
}

TEST(Word, IsOneOfAFewWithAHint) {
  const ConfigFiles files;
  EXPECT_THAT(
      files.refusal({"model.activation=rleu"}),
      AllOf(HasSubstr("must be \"relu\", \"gelu\" or \"swiglu\", not \"rleu\""), HasSubstr("did you mean \"relu\"?")));
  EXPECT_THAT(files.refusal({"model.activation=1"}), HasSubstr("model.activation"));
  EXPECT_EQ(files.with({"vocab.type=char"}).vocab.type, VocabType::character);
}

TEST(NumberOrWord, TakesBothAndNothingElse) {
  const ConfigFiles files;
  EXPECT_TRUE(files.with({"attention.d_k=ceil"}).attention.d_k->is_word());
  EXPECT_EQ(files.with({"attention.d_k=43"}).attention.d_k->value, 43);
  EXPECT_FALSE(files.with({"attention.d_k=null"}).attention.d_k.has_value());
  EXPECT_EQ(files.with({"attention.scale=0.5"}).attention.scale.value, 0.5);
  EXPECT_THAT(files.refusal({"attention.d_k=cell"}), HasSubstr("did you mean \"ceil\"?"));
  EXPECT_THAT(files.refusal({"attention.d_k=4.5"}),
              HasSubstr("must be an integer from 1 to 16384, or \"ceil\", or null, not 4.5"));
  EXPECT_THAT(files.refusal({"attention.scale=null"}), HasSubstr("attention.scale"));
}

TEST(List, EveryElementIsChecked) {
  const ConfigFiles files;
  for (const char* bad : {"[0.9,\"x\"]", "[0.9,1.5]", "0.9", "{}"}) {
    EXPECT_THAT(files.refusal({std::string("optimizer.betas=") + bad}), HasSubstr("optimizer.betas")) << bad;
  }
  EXPECT_THAT(files.refusal({"data.train.source=[1]"}), HasSubstr("must be a path or a list of paths, not [1]"));
}

TEST(Section, MustBeAnObject) {
  const ConfigFiles files;
  for (const char* bad : {"3", "[]", "null", "\"x\""}) {
    EXPECT_THAT(files.refusal_of_file(std::string(R"("model": )") + bad), HasSubstr("model (")) << bad;
    EXPECT_THAT(files.refusal_of_file(std::string(R"("model": )") + bad), HasSubstr("must be an object")) << bad;
  }
}

TEST(Override, IsCheckedLikeTheSettingsItOverrides) {
  const ConfigFiles files;
  EXPECT_THAT(files.refusal({"attention.cross.num_heads=3.7"}),
              HasSubstr("attention.cross.num_heads (--set): must be an integer"));
  EXPECT_THAT(files.refusal({"attention.cross=3"}), HasSubstr("attention.cross (--set): must be an object or null"));
  EXPECT_THAT(files.refusal({"attention.cross.layers=[]"}),
              HasSubstr("attention.cross.layers (--set): must be an object"));
  EXPECT_THAT(files.refusal({"attention.cross.layers.1=4"}),
              HasSubstr("attention.cross.layers.1 (--set): must be an object"));
  EXPECT_THAT(files.refusal({"attention.cross.layers.1.layers={}"}), HasSubstr("layers.1.layers (--set): unknown key"));
  for (const char* bad : {"0", "01", "two", "-1", "12345"}) {
    EXPECT_THAT(files.refusal({std::string("attention.cross.layers.") + bad + ".num_heads=2"}),
                HasSubstr("is not the number of a layer"))
        << bad;
  }
}

TEST(Override, IsKeptInOneNotation) {
  const ConfigFiles files;
  const RunConfig config =
      files.with({R"(attention.cross={"layers": {"2": {"d_k": 1e1}, "1": {}}, "d_k": 8.0, "kind": "per_head"})"});
  EXPECT_EQ(dump_json(config.attention.cross.patch, -1),
            R"({"kind":"per_head","d_k":8,"layers":{"1":{},"2":{"d_k":10}}})");
}

TEST(Problems, AllAreReportedAtOnceWithTheirOrigins) {
  const ConfigFiles files;
  files.write("middle.json", R"({"extends": "base.json", "model": {"d_ff": true}})");
  files.write("top.json", R"({"extends": "middle.json", "modle": {}, "model": {"dropout": 2}})");
  const std::string message = testing::message_of([&] {
    files.load("top.json", {"optimizer.lr=fast", "decode.nbest=9", "attention.cross.num_heads=0"});
  });
  EXPECT_EQ(problem_count(message), 6U) << message;
  EXPECT_THAT(message, HasSubstr("top.json: 6 problems"));
  EXPECT_THAT(message, HasSubstr("model.d_ff (" + (files / "middle.json").string() + ")"));
  EXPECT_THAT(message, HasSubstr("model.dropout (" + (files / "top.json").string() + ")"));
  EXPECT_THAT(message, HasSubstr("modle (" + (files / "top.json").string() + ")"));
  EXPECT_THAT(message, HasSubstr("optimizer.lr (--set)"));
  EXPECT_THAT(message, HasSubstr("decode.nbest (--set): 9 is more than decode.beam, 5"));
}

TEST(Problems, OneKeyIsNotReportedTwice) {
  const ConfigFiles files;
  // That data.train and train are now incomplete goes without saying.
  const std::string message = files.refusal({"data.train.source=[7]", "train.max_update=0"});
  EXPECT_EQ(problem_count(message), 2U) << message;
}

TEST(Problems, DefaultsAreNamedAsSuch) {
  const ConfigFiles files;
  const auto file = files.write("empty.json", "{}");
  EXPECT_THAT(testing::message_of([&] { load_config(file, {}, testing::kinds); }),
              AllOf(HasSubstr("data.train (the defaults)"), HasSubstr("train (the defaults)")));
}

TEST(ConfigFromJson, RefusesWithTheNameOfTheFile) {
  const ConfigFiles files;
  json resolved = files.load("base.json").resolved;
  EXPECT_EQ(config_from_json(resolved, "run/config.json"), files.with({}));
  resolved["model"]["d_modle"] = 3;
  EXPECT_THAT(testing::message_of([&] { config_from_json(resolved, "run/config.json"); }),
              HasSubstr("model.d_modle (run/config.json)"));
  EXPECT_THAT(testing::message_of([&] { config_from_json(json::array(), "run/config.json"); }),
              HasSubstr("run/config.json"));
}

}  // namespace
}  // namespace mha
