#include "sweep/plan.h"

#include "report/run_folder.h"
#include "unit/sweep/plan_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using testing::cell_names;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::PlanFiles;
using testing::run_of;

TEST(Plan, HasEveryCellWithEverySeedInOrder) {
  const SweepPlan plan = PlanFiles(R"("name": "heads")").plan({"seed=3,1", "h=1,2", "d_k=4,8"});
  EXPECT_EQ(plan.name, "heads");
  ASSERT_EQ(plan.runs.size(), 8U);
  EXPECT_THAT(cell_names(plan), ElementsAre("h=1,d_k=4", "h=1,d_k=8", "h=2,d_k=4", "h=2,d_k=8"));
  EXPECT_EQ(plan.runs[0].run.seed, 3);
  EXPECT_EQ(plan.runs[1].run.seed, 1);
  EXPECT_EQ(plan.axes.dump(), R"({"h":[1,2],"d_k":[4,8],"seed":[3,1]})");
}

TEST(Plan, RunsHaveTheirConfigurationAndPlace) {
  const SweepPlan plan = PlanFiles().plan({"h=2", "d_k=8", "seed=5"});
  const PlannedRun& run = plan.runs.at(0);
  EXPECT_EQ(run.config["attention"]["num_heads"], 2);
  EXPECT_EQ(run.config["seed"], 5);
  EXPECT_EQ(run.run.id, config_hash(run.config).substr(0, 12));
  EXPECT_EQ(run.run.run_dir, "runs/h-2_d_k-8-seed5-" + run.run.id.substr(0, 6));
  EXPECT_EQ(run.run.log, "logs/h-2_d_k-8-seed5-" + run.run.id.substr(0, 6) + ".log");
  EXPECT_EQ(run.config["run_dir"], run.run.run_dir);
  EXPECT_EQ(run.run.point, json({{"h", 2}, {"d_k", 8}}));
  EXPECT_EQ(run.run.cost.parameters, 4 * 16 * 16 + 2 * 16 * 64);
  EXPECT_EQ(run.run.status, SweepRunStatus::pending);
  EXPECT_EQ(config_from_json(run.config, "plan").attention.d_k->value, 8);
}

TEST(Plan, LeavesTheSweepSectionOutOfBaseAndRuns) {
  const PlanFiles plain, with_section(R"("sweep": {"axes": {"h": [2]}, "hold": "nothing"})");
  const SweepPlan a = plain.plan({"h=2"}), b = with_section.plan({});
  EXPECT_FALSE(b.base.contains("sweep"));
  EXPECT_FALSE(b.runs[0].config.contains("sweep"));
  EXPECT_EQ(run_identity(a.base).dump().size(), run_identity(b.base).dump().size());
}

// A4: heads that do not divide the width make their own cell invalid, nothing else.
TEST(Plan, InvalidCellsAreNamedAndTheOthersStay) {
  const SweepPlan plan = PlanFiles().plan({"h=2,3,4", "seed=1,2"});
  ASSERT_EQ(plan.runs.size(), 6U);
  const PlannedRun& invalid = run_of(plan, "h=3");
  EXPECT_EQ(invalid.run.status, SweepRunStatus::invalid);
  EXPECT_THAT(invalid.run.reason,
              AllOf(HasSubstr("(sweep point)"), HasSubstr("d_model 16 cannot be divided by num_heads 3")));
  EXPECT_THAT(invalid.run.reason, Not(HasSubstr("\n")));
  EXPECT_TRUE(invalid.config.is_null());
  EXPECT_EQ(invalid.run.id.size(), 12U);
  for (const char* cell : {"h=2", "h=4"}) EXPECT_EQ(run_of(plan, cell).run.status, SweepRunStatus::pending);
}

// A3: a free grid has no rule of divisibility.
TEST(Plan, FreeGridsNeedNotDivideTheWidth) {
  for (const PlannedRun& run : PlanFiles().plan({"h=1,3,5", "d_k=2,7"}).runs) {
    EXPECT_EQ(run.run.status, SweepRunStatus::pending) << run.run.cell;
  }
}

TEST(Plan, BaseThatOnlyThePointsMakeWholeIsTaken) {
  const SweepPlan plan = PlanFiles(R"("attention": {"num_heads": 3})").plan({"h=2,4"});
  for (const PlannedRun& run : plan.runs) EXPECT_EQ(run.run.status, SweepRunStatus::pending);
}

TEST(Plan, BaseThatSpoilsEveryCellIsRefusedAsWhole) {
  EXPECT_THAT(PlanFiles(R"("optimizer": {"cooldown_updates": 11})").refusal({"h=1,2"}),
              AllOf(HasSubstr("base.json"), HasSubstr("optimizer.cooldown_updates")));
}

TEST(Plan, WithOnlyInvalidCellsHasNoBaseline) {
  const SweepPlan plan = PlanFiles().plan({"h=3,5"});
  EXPECT_EQ(plan.baseline, "");
  EXPECT_EQ(plan.runs.size(), 2U);
}

// W5: a value listed twice is one cell.
TEST(Plan, CellsListedTwiceAreOne) {
  EXPECT_THAT(cell_names(PlanFiles().plan({"h=2,2,4,2.0"})), ElementsAre("h=2", "h=4"));
  EXPECT_EQ(PlanFiles().plan({"h=2,2", "seed=1,1"}).axes.dump(), R"({"h":[2],"seed":[1]})");
  EXPECT_THAT(cell_names(PlanFiles().plan({"h=3,3"})), ElementsAre("h=3")) << "invalid ones too";
  const PlanFiles points(
      R"("sweep": {"points": [{"d_k": 4, "h": 2}, {"name": "again", "h": 2, "d_k": 4}, {"h": 3}, {"h": 3}]})");
  EXPECT_THAT(cell_names(points.plan({"h=2", "d_k=4"})), ElementsAre("h=2,d_k=4", "h=3"));
}

TEST(Plan, PointsStandBesideTheGrid) {
  const PlanFiles files(R"("sweep": {"axes": {"h": [1]}, "points": [{"name": "wide", "d_ff": 128}, {"h": 2}]})");
  const SweepPlan plan = files.plan({});
  EXPECT_THAT(cell_names(plan), ElementsAre("h=1", "wide", "h=2"));
  EXPECT_EQ(run_of(plan, "wide").config["model"]["d_ff"], 128);
  EXPECT_EQ(run_of(plan, "wide").run.point, json({{"d_ff", 128}}));
}

TEST(Plan, NamesAreOneCellsOnly) {
  EXPECT_THAT(PlanFiles(R"("sweep": {"points": [{"name": "h=1", "d_ff": 128}]})").refusal({"h=1"}),
              AllOf(HasSubstr("two different cells are called h=1"), HasSubstr("another name")));
}

TEST(Plan, ExcludedCellsStayWithTheirReason) {
  const PlanFiles files(R"("sweep": {"exclude": [{"h": 2, "d_k": 8}, {"h": 3}]})");
  const SweepPlan plan = files.plan({"h=1,2,3", "d_k=4,8"});
  EXPECT_EQ(plan.runs.size(), 6U);
  EXPECT_EQ(run_of(plan, "h=2,d_k=8").run.status, SweepRunStatus::excluded);
  EXPECT_EQ(run_of(plan, "h=2,d_k=8").run.reason, "by sweep.exclude: h=2,d_k=8");
  EXPECT_EQ(run_of(plan, "h=3,d_k=4").run.status, SweepRunStatus::excluded);
  EXPECT_EQ(run_of(plan, "h=2,d_k=4").run.status, SweepRunStatus::pending);
  EXPECT_THAT(plan.notes, IsEmpty());
}

TEST(Plan, ExclusionsThatMatchNothingAreNotedOrRefused) {
  const SweepPlan plan = PlanFiles(R"("sweep": {"exclude": [{"h": 9}]})").plan({"h=1,2"});
  EXPECT_THAT(plan.notes, ElementsAre("sweep.exclude h=9 matches no cell."));
  EXPECT_THAT(PlanFiles(R"("sweep": {"exclude": [{"lr": 1}]})").refusal({"h=1,2"}),
              AllOf(HasSubstr("no cell sets lr"), HasSubstr("axes of the grid")));
}

TEST(Plan, CellsBeyondTheMemoryAreExcluded) {
  const PlanFiles files;
  PlanRequest request = files.request({"h=1,2", "d_k=16"});
  request.max_memory = 1000 * (4 * 16 * 16 + 2 * 16 * 64);
  const SweepPlan plan = make_plan(request, testing::toy_functions());
  EXPECT_EQ(run_of(plan, "h=1,d_k=16").run.status, SweepRunStatus::pending) << "as much as the limit fits";
  EXPECT_EQ(run_of(plan, "h=2,d_k=16").run.status, SweepRunStatus::excluded);
  EXPECT_THAT(run_of(plan, "h=2,d_k=16").run.reason, AllOf(HasSubstr("MiB"), HasSubstr("--max-memory")));
}

TEST(Plan, WithoutAxesIsRefusedButForSeeds) {
  EXPECT_THAT(PlanFiles().refusal({}), AllOf(HasSubstr("nothing to sweep"), HasSubstr("h=1,2,4")));
  const SweepPlan plan = PlanFiles().plan({"seed=1,2"});
  EXPECT_THAT(cell_names(plan), ElementsAre("base"));
  EXPECT_EQ(plan.runs.size(), 2U);
  EXPECT_EQ(plan.baseline, "base");
}

TEST(Plan, AxesOverEveryPlaceMindWhatPlacesSetThemselves) {
  const PlanFiles files(R"("attention": {"cross": {"num_heads": 4, "layers": {"2": {"d_k": 3}}}})");
  EXPECT_THAT(files.refusal({"h=1,2"}), AllOf(HasSubstr("attention.cross.num_heads is set to 4"),
                                              HasSubstr("base.json"), HasSubstr("take that out")));
  EXPECT_THAT(files.refusal({"d_k=1,2"}), HasSubstr("attention.cross.layers.2.d_k is set to 3"));
  EXPECT_EQ(files.refusal({"attention.scale=none"}), "nothing was thrown");
  EXPECT_EQ(files.refusal({"h=1,2", "attention.cross.num_heads=1,2"}), "nothing was thrown")
      << "set by the grid itself";
}

TEST(Plan, PathsOfAxesAreRelativeToTheFileOrTheWorkingFolder) {
  const PlanFiles files(
      R"("sweep": {"axes": {"vocab.model": ["a.model"]}, "points": [{"name": "b", "vocab.model": "b.model"}]})");
  const SweepPlan plan = files.plan({});
  EXPECT_EQ(plan.runs[0].config["vocab"]["model"], (files.folder() / "a.model").string());
  EXPECT_EQ(run_of(plan, "b").config["vocab"]["model"], (files.folder() / "b.model").string());
  EXPECT_EQ(PlanFiles().plan({"vocab.model=a.model"}).runs[0].config["vocab"]["model"],
            (std::filesystem::current_path() / "a.model").string());
}

TEST(Plan, AssignmentsAreLaidOverTheBase) {
  const PlanFiles files;
  PlanRequest request = files.request({"h=2"});
  request.assignments = {parse_assignment("model.d_ff=32"), parse_assignment("seed=9")};
  const SweepPlan plan = make_plan(request, testing::toy_functions());
  EXPECT_EQ(plan.base["model"]["d_ff"], 32);
  EXPECT_EQ(plan.runs[0].config["model"]["d_ff"], 32);
  EXPECT_EQ(plan.runs[0].run.seed, 9);
}

SweepFile file_of(const SweepPlan& plan) {
  SweepFile file;
  file.hold = to_string(plan.hold);
  file.base = plan.base;
  return file;
}

// W5: values may be added to a grid, but its base must stay.
TEST(ChangedKeys, AreThoseOfTheBaseAndWhatIsHeld) {
  const PlanFiles files;
  const SweepFile before = file_of(files.plan({"h=1,2"}));
  EXPECT_THAT(changed_keys(before, files.plan({"h=1,2,4", "d_k=8", "seed=1,2"})), IsEmpty());
  EXPECT_THAT(changed_keys(before, files.plan({"h=1"}, Hold::params)), ElementsAre("hold: nothing there, params now"));
  files.write(R"("optimizer": {"lr": 1e-3}, "seed": 4, "threads": 2, "name": "x")");
  EXPECT_THAT(changed_keys(before, files.plan({"h=1,2"})), ElementsAre("optimizer.lr: 0.0005 there, 0.001 now"));
}

TEST(ChangedKeys, KeepTheIdsOfUnchangedCells) {
  const PlanFiles files;
  const SweepPlan before = files.plan({"h=1,2", "seed=1,2"}), after = files.plan({"h=1,4,2", "seed=1,2,3"});
  for (const PlannedRun& run : before.runs) {
    const auto same = std::ranges::find(after.runs, run.run.id, [](const PlannedRun& r) { return r.run.id; });
    ASSERT_NE(same, after.runs.end()) << run.run.cell;
    EXPECT_EQ(same->run.run_dir, run.run.run_dir);
  }
}

TEST(RunSlug, IsASafeShortName) {
  SweepRun run;
  run.id = "0123456789ab";
  run.seed = 3;
  run.cell = "data.train.source=../ä b,optimizer.betas=[0.9,0.98]";
  EXPECT_EQ(run_slug(run), "data.train.source-..____b_optimizer.betas-_0.9_0.98_-seed3-012345");
  run.cell = std::string(1000, 'x');
  EXPECT_EQ(run_slug(run).size(), 60 + std::string("-seed3-012345").size());
  run.cell = "..";
  EXPECT_EQ(run_slug(run), "_.-seed3-012345");
}

}  // namespace
}  // namespace mha
