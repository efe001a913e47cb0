#include "analysis/significance_json.h"

#include <gtest/gtest.h>

#include "unit/analysis/sweep_testing.h"

namespace mha {
namespace {

using testing::SweepFolder;

json of_folder(SweepFolder& folder) {
  SweepResults results = folder.collect();
  return significance_json(compare_with_baseline(results));
}

TEST(SignificanceJson, SeedsAndSentences) {
  SweepFolder folder;
  for (const std::size_t seed : {0, 1, 2}) {
    folder.done(8, 8, static_cast<std::int64_t>(seed), 12, 12 * seed);
    folder.done(1, 8, static_cast<std::int64_t>(seed), 2, 2 * seed);
  }
  folder.plan(4, 8, 0);
  const json said = of_folder(folder);
  EXPECT_EQ(said["method"], "hierarchical");
  EXPECT_EQ(said["seed_variance"], "pooled");
  EXPECT_EQ(said["resamples"], 1000);
  EXPECT_EQ(said["sentences"], 60);
  EXPECT_EQ(said["compared"], 1);
  EXPECT_EQ(said["seeds_needed"]["difference"], 0.3);
  EXPECT_EQ(said["seeds_needed"]["power"], 0.8);
  EXPECT_GT(said["seeds_needed"]["seed_deviation"], 0);
  EXPECT_GT(said["seeds_needed"]["smallest_difference"], 0.3);
  EXPECT_EQ(said["uneven"]["cell"].get<std::string>().substr(0, 2), "h=");
  ASSERT_EQ(said["cells"].size(), 3u);
  const json &base = said["cells"][0], &worse = said["cells"][1], &absent = said["cells"][2];
  EXPECT_EQ(base["cell"], "h=8,d_k=8");
  EXPECT_EQ(base["scores"].size(), 3u);
  EXPECT_GT(base["sentences"]["half_width"], 0);
  EXPECT_TRUE(base["error"].is_null());
  EXPECT_GT(worse["error"], 0);
  EXPECT_TRUE(worse["p_sacrebleu"].is_null()) << "three seeds have no one pair of outputs";
  EXPECT_EQ(absent["scores"], json::array());
  EXPECT_TRUE(absent["sentences"].is_null());
}

TEST(SignificanceJson, OneSeedHasThePlainPairedTest) {
  SweepFolder folder;
  folder.done(8, 8, 1, 12);
  folder.done(1, 8, 1, 2);
  const json said = of_folder(folder);
  EXPECT_EQ(said["method"], "sentences");
  EXPECT_TRUE(said["seed_variance"].is_null());
  EXPECT_TRUE(said["seeds_needed"]["seeds"].is_null());
  EXPECT_TRUE(said["uneven"].is_null());
  EXPECT_LT(said["cells"][1]["p_sacrebleu"], 0.05);
}

TEST(SignificanceJson, AnUnsteadyCellIsNamedAndNotPooled) {
  SweepComparison comparison;
  comparison.grid = GridSignificance{.method = SignificanceMethod::hierarchical};
  comparison.grid->cells = {{.name = "steady"}, {.name = "unsteady"}};
  comparison.grid->uneven = UnevenCell{.cell = 1, .p = 0.001};
  comparison.unsteady = "unsteady";
  comparison.problems = {"a run is gone"};
  const json said = significance_json(comparison);
  EXPECT_EQ(said["seed_variance"], "pair");
  EXPECT_EQ(said["uneven"], json({{"cell", "unsteady"}, {"p", 0.001}}));
  EXPECT_EQ(said["problems"], json::array({"a run is gone"}));
}

TEST(SignificanceJson, NothingToCompareIsNull) { EXPECT_TRUE(significance_json({}).is_null()); }

}  // namespace
}  // namespace mha
