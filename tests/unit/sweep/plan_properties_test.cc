#include <algorithm>
#include <map>
#include <set>

#include "base/random.h"
#include "base/text.h"
#include "unit/sweep/plan_testing.h"

// What must hold for every grid, over many random ones.
namespace mha {
namespace {

using testing::PlanFiles;

struct RandomAxis {
  std::string name;
  std::vector<std::string> values;
};

const std::vector<RandomAxis> kAxes = {{"h", {"1", "2", "3", "4", "16"}},
                                       {"d_k", {"null", "ceil", "1", "5", "8"}},
                                       {"model.dropout", {"0", "0.1", "0.30"}},
                                       {"model.norm", {"pre", "post"}},
                                       {"lr", {"1e-3", "0.002"}},
                                       {"optimizer.betas", {"[0.9,0.98]", "[0.8,0.99]"}},
                                       {"seed", {"1", "2", "3"}}};

/// Some of the axes with some of their values, in random order; values may repeat.
std::vector<std::string> random_tokens(RandomStream& random) {
  std::vector<RandomAxis> axes = kAxes;
  shuffle(axes, random);
  axes.resize(1 + random.below(4));
  std::vector<std::string> tokens;
  for (const RandomAxis& axis : axes) {
    std::vector<std::string> values;
    for (std::uint64_t i = 0; i <= random.below(4); ++i)
      values.push_back(axis.values[random.below(axis.values.size())]);
    tokens.push_back(axis.name + "=" + join(values, ","));
  }
  if (axes.size() == 1 && axes[0].name == "seed") tokens.emplace_back("h=1");
  return tokens;
}

std::map<std::string, std::string> folders_by_id(const SweepPlan& plan) {
  std::map<std::string, std::string> folders;
  for (const PlannedRun& run : plan.runs) folders[run.run.id] = run.run.run_dir;
  return folders;
}

class RandomGrids : public ::testing::TestWithParam<int> {};

TEST_P(RandomGrids, HaveUniqueAndStableRuns) {
  const PlanFiles files;
  RandomStream random(derive_key({20, static_cast<std::uint64_t>(GetParam())}));
  const std::vector<std::string> tokens = random_tokens(random);
  const SweepPlan plan = files.plan(tokens);
  std::set<std::string> ids, folders, logs;
  std::set<std::pair<std::string, std::int64_t>> cells;
  for (const PlannedRun& run : plan.runs) {
    EXPECT_TRUE(ids.insert(run.run.id).second) << join(tokens, " ");
    EXPECT_TRUE(folders.insert(run.run.run_dir).second);
    EXPECT_TRUE(logs.insert(run.run.log).second);
    EXPECT_TRUE(cells.emplace(run.run.cell, run.run.seed).second);
    EXPECT_EQ(run.config.is_null(), run.run.status == SweepRunStatus::invalid);
    EXPECT_EQ(run.run.reason.empty(), run.run.status == SweepRunStatus::pending);
  }
  EXPECT_EQ(folders_by_id(files.plan(tokens)), folders_by_id(plan)) << "the same request, the same plan";

  std::vector<std::string> reversed = tokens;  // the values' order changes no run
  for (std::string& token : reversed) {
    if (token.find('[') != std::string::npos) continue;
    std::vector<std::string> values = split(token.substr(token.find('=') + 1), ',');
    std::ranges::reverse(values);
    token = token.substr(0, token.find('=') + 1) + join(values, ",");
  }
  EXPECT_EQ(folders_by_id(files.plan(reversed)), folders_by_id(plan)) << join(tokens, " ");
}

TEST_P(RandomGrids, KeepTheirRunsWhenAValueIsAdded) {
  const PlanFiles files;
  RandomStream random(derive_key({21, static_cast<std::uint64_t>(GetParam())}));
  std::vector<std::string> tokens = random_tokens(random);
  const auto before = folders_by_id(files.plan(tokens));
  const std::string name = tokens[0].substr(0, tokens[0].find('='));
  const auto axis = std::ranges::find(kAxes, name, &RandomAxis::name);
  tokens[0] += "," + axis->values[random.below(axis->values.size())];
  const auto after = folders_by_id(files.plan(tokens));
  EXPECT_TRUE(std::ranges::includes(after, before)) << tokens[0];
}

INSTANTIATE_TEST_SUITE_P(Plans, RandomGrids, ::testing::Range(0, 40));

}  // namespace
}  // namespace mha
