#include "sweep/plan_table.h"

#include "base/text.h"
#include "unit/sweep/plan_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::PlanFiles;

TEST(PlanText, IsAnAlignedTableWithReasonsAndTotals) {
  const PlanFiles files(R"("name": "toy", "attention": {"num_heads": 4}, "sweep": {"exclude": [{"h": 1}]})");
  EXPECT_EQ(plan_text(files.plan({"h=1,3,4,16", "seed=1,2"})),
            R"(Sweep of toy; held fixed: nothing; seeds 1, 2.

cell   status    runs  parameters  FLOPs/token   memory  time/run
h=1    excluded     2       3,072       18.4 k  2.9 MiB      1:00
h=3    invalid      2           -            -        -         -
h=4 *  pending      2       3,072       18.4 k  2.9 MiB      1:00
h=16   pending      2       3,072       18.4 k  2.9 MiB      1:00
* the others are compared with this cell

h=1 is excluded: by sweep.exclude: h=1
h=3 is invalid: attention.num_heads (sweep point): d_model 16 cannot be divided by num_heads 3; )"
            R"(set d_k to a number or to "ceil" (6), or num_heads to one of 1, 2, 4, 8, 16
4 cells, 8 runs; 4 to train, 1 cell excluded, 1 cell invalid; at most 2.9 MiB of memory a run; 4:00 one after another
)");
}

TEST(PlanText, SaysWhatIsHeldAndByHowMuchCellsMissIt) {
  const PlanFiles files(R"("attention": {"num_heads": 8, "d_k": 4})");
  const std::string text = plan_text(files.plan({"d_model=16,17"}, Hold::params));
  EXPECT_THAT(text, HasSubstr("held fixed: params at 4,096; seed 1."));
  EXPECT_THAT(text, HasSubstr("time/run   off by  d_ff\n"));
  EXPECT_THAT(text, HasSubstr("1:00      0 %    64\n"));
  EXPECT_THAT(text, HasSubstr("1:00  -0.39 %    56\n"));
  const std::string budget = plan_text(PlanFiles(R"("attention": {"d_k": "ceil"})").plan({"h=3"}, Hold::budget));
  EXPECT_THAT(budget, AllOf(HasSubstr("h*d_k    off by\n"), HasSubstr("18  +12.50 %\n"), Not(HasSubstr("d_ff"))));
}

TEST(PlanText, LeavesOutWhatIsNotKnown) {
  PlanFunctions functions = testing::toy_functions();
  functions.cost = [](const RunConfig& config) {
    RunCost cost = testing::toy_cost(config);
    cost.seconds = kUnknown;
    cost.memory_bytes = 0;
    return cost;
  };
  const PlanFiles files(R"("sweep": {"exclude": [{"h": 9}]})");
  const std::string text = plan_text(make_plan(files.request({"h=2"}), functions));
  EXPECT_THAT(text,
              AllOf(HasSubstr("note: sweep.exclude h=9 matches no cell.\n"), HasSubstr("1 cell, 1 run; 1 to train\n")));
}

TEST(PlanText, AlignsByCharacters) {
  const PlanFiles files(R"("sweep": {"points": [{"name": "größer", "d_ff": 99}, {"name": "wider_", "d_ff": 98}]})");
  const auto lines = split(plan_text(files.plan({})), '\n');
  EXPECT_EQ(lines[3].size(), lines[4].size() + 2) << lines[3] << "\n" << lines[4];
}

TEST(PlanJson, IsWholeAndStrict) {
  const PlanFiles files;
  const SweepPlan plan = files.plan({"h=2,3", "seed=1,2"});
  const json out = json::parse(dump_json(plan_json(plan)));
  EXPECT_EQ(out["format"], "mha-train/sweep-plan");
  EXPECT_EQ(out["axes"], json::parse(R"({"h": [2, 3], "seed": [1, 2]})"));
  EXPECT_TRUE(out["held"].is_null());
  EXPECT_EQ(out["totals"]["to_train"], 2);
  EXPECT_EQ(out["totals"]["invalid_cells"], 1);
  EXPECT_EQ(out["totals"]["seconds"], 120.0);
  ASSERT_EQ(out["runs"].size(), 4U);
  EXPECT_EQ(out["runs"][0]["id"], plan.runs[0].run.id);
  EXPECT_EQ(out["runs"][2]["status"], "invalid");
  EXPECT_TRUE(out["runs"][0]["d_ff"].is_null());
  const json held = plan_json(files.plan({"h=2"}, Hold::params));
  EXPECT_EQ(held["held"], 3072);
  EXPECT_EQ(held["runs"][0]["d_ff"], 64);
}

}  // namespace
}  // namespace mha
