#include "sweep/points.h"

#include "unit/sweep/plan_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;

SweepConfig section(const std::string& text) {
  const testing::PlanFiles files(R"("sweep": )" + text);
  return read_config(files.request({}).file, {}).sweep;
}

std::vector<std::string> names(const std::vector<Point>& points) {
  std::vector<std::string> out;
  for (const Point& point : points) out.push_back(point.name);
  return out;
}

std::vector<std::string> grid_names(const std::string& text, const std::vector<std::string>& tokens = {}) {
  return names(grid_points(make_grid(section(text), tokens, 7)));
}

std::string refusal(const std::string& text, const std::vector<std::string>& tokens = {}) {
  return message_of([&] { grid_names(text, tokens); });
}

TEST(GridPoints, AreTheCrossProductWithTheLastAxisFastest) {
  EXPECT_THAT(grid_names("{}", {"h=1,2", "d_k=8,16"}),
              ElementsAre("h=1,d_k=8", "h=1,d_k=16", "h=2,d_k=8", "h=2,d_k=16"));
  EXPECT_TRUE(grid_names("{}").empty());
}

TEST(GridPoints, OfZippedAxesTakeTheirValuesTogether) {
  const std::string zipped =
      R"({"axes": {"h": [1, 2], "model.norm": ["pre", "post"], "d_k": [16, 8]}, "zip": [["h", "d_k"]]})";
  EXPECT_THAT(grid_names(zipped), ElementsAre("h=1,model.norm=pre,d_k=16", "h=1,model.norm=post,d_k=16",
                                              "h=2,model.norm=pre,d_k=8", "h=2,model.norm=post,d_k=8"));
}

TEST(GridPoints, OfZipsThatCannotBeAreRefused) {
  EXPECT_THAT(refusal(R"({"axes": {"h": [1, 2], "d_k": [8]}, "zip": [["h", "d_k"]]})"),
              AllOf(HasSubstr("h has 2 values and d_k has 1"), HasSubstr("equally many")));
  EXPECT_THAT(refusal(R"({"axes": {"h": [1]}, "zip": [["h", "d_k"]]})"), HasSubstr("d_k is no axis"));
  EXPECT_THAT(refusal(R"({"axes": {"h": [1]}, "zip": [["h"]]})"), HasSubstr("at least two"));
  EXPECT_THAT(refusal(R"({"axes": {"h": [1]}, "zip": [[]]})"), HasSubstr("at least two"));
  EXPECT_THAT(refusal(R"({"axes": {"h": [1]}, "seeds": [1], "zip": [["h", "seed"]]})"),
              HasSubstr("seeds are combined"));
  EXPECT_THAT(refusal(R"({"axes": {"h": [1], "d_k": [8]}, "zip": [["h", "d_k"], ["d_k", "h"]]})"),
              HasSubstr("stands twice"));
  EXPECT_THAT(refusal(R"({"axes": {"h": [1]}, "zip": [["h", "h"]]})"), HasSubstr("stands twice"));
}

TEST(GridPoints, AreNotTooMany) {
  EXPECT_THAT(refusal("{}", {"h=1..500", "d_k=1..500", "lr=1..500"}), HasSubstr("more than 10000 runs"));
  EXPECT_THAT(refusal("{}", {"h=1..500", "seed=1..21"}), HasSubstr("more than 10000 runs"));
}

TEST(Grid, AxesOfTheCommandLineReplaceAndAdd) {
  const std::string file = R"({"axes": {"h": [1, 2], "d_k": [8]}})";
  EXPECT_THAT(grid_names(file, {"attention.num_heads=4", "model.dropout=0"}), ElementsAre("h=4,d_k=8,model.dropout=0"));
}

TEST(Grid, SeedsComeFromOnePlace) {
  const auto seeds = [](const std::string& text, const std::vector<std::string>& tokens) {
    return make_grid(section(text), tokens, 7).seeds;
  };
  EXPECT_THAT(seeds("{}", {}), ElementsAre(7));
  EXPECT_THAT(seeds(R"({"seeds": [1, 2, 1]})", {}), ElementsAre(1, 2));
  EXPECT_THAT(seeds(R"({"axes": {"seed": "1..3"}})", {}), ElementsAre(1, 2, 3));
  EXPECT_THAT(seeds(R"({"seeds": [1, 2]})", {"seed=5,4"}), ElementsAre(5, 4));
  EXPECT_THAT(refusal(R"({"seeds": [1], "axes": {"seed": [2]}})"), HasSubstr("keep one"));
}

TEST(Grid, AxesGivenTwiceOrWithinEachOtherAreRefused) {
  EXPECT_THAT(refusal("{}", {"h=1", "attention.num_heads=2"}),
              AllOf(HasSubstr("h is given twice"), HasSubstr("one list")));
  EXPECT_THAT(refusal("{}", {"seed=1", "seed=2"}), HasSubstr("given twice"));
  EXPECT_THAT(refusal("{}", {R"(attention.cross={"d_k":4})", "attention.cross.num_heads=2"}), HasSubstr("same keys"));
  EXPECT_THAT(refusal(R"({"axes": {"h": [1], "attention.num_heads": [2]}})"), HasSubstr("given twice"));
}

TEST(ListedPoints, HaveNamesOrAreCalledByTheirValues) {
  const auto points = listed_points(
      section(R"({"points": [{"h": 8, "attention.d_k": 64}, {"name": "wide", "d_ff": 128}, {"name": "plain"}]})")
          .points,
      "points");
  EXPECT_THAT(names(points), ElementsAre("h=8,d_k=64", "wide", "plain"));
  EXPECT_EQ(points[1].values(), json({{"d_ff", 128}}));
  EXPECT_EQ(points[2].values(), json::object());
}

TEST(ListedPoints, ThatCannotBeAreRefused) {
  const auto refused = [](const std::string& list, const std::string& key = "points") {
    return message_of([&] { listed_points(section(R"({"points": )" + list + "}").points, key); });
  };
  EXPECT_THAT(refused(R"([{"h": 1}, {"hh": 8}])"), AllOf(HasSubstr("sweep.points[1]"), HasSubstr("did you mean h?")));
  EXPECT_THAT(refused(R"([{"h": "x"}])"), HasSubstr("must be an integer"));
  EXPECT_THAT(refused(R"([{"seed": 3}])"), HasSubstr("sweep.seeds"));
  EXPECT_THAT(refused(R"([{"name": 3}])"), HasSubstr("name"));
  EXPECT_THAT(refused(R"([{"name": "a\u001b[31m"}])"),
              AllOf(HasSubstr("points[0].name"), HasSubstr("control character")));
  EXPECT_THAT(refused(R"([{"h": 1, "attention.num_heads": 2}])"), HasSubstr("same keys"));
  EXPECT_THAT(refused(R"([{"name": "x"}])", "exclude"), HasSubstr("cannot be an axis"));
}

TEST(Points, MatchByAllTheValuesGiven) {
  const Point point{.name = "", .settings = parse_settings("h=8,d_k=16", "")};
  EXPECT_TRUE(point.matches(parse_settings("d_k=16.0", "")));
  EXPECT_TRUE(point.matches({}));
  EXPECT_FALSE(point.matches(parse_settings("h=8,d_k=8", "")));
  EXPECT_FALSE(point.matches(parse_settings("lr=1", "")));
}

}  // namespace
}  // namespace mha
