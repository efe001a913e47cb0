#include "sweep/hold.h"

#include "unit/sweep/plan_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using testing::cell_names;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::PlanFiles;
using testing::run_of;

json d_k_of(const SweepPlan& plan, const std::string& cell) { return run_of(plan, cell).config["attention"]["d_k"]; }

TEST(HoldBudget, DividesTheBasesProductByTheHeads) {
  const PlanFiles files(R"("attention": {"num_heads": 8, "d_k": 4})");  // not d_model, 16, but 32
  const SweepPlan plan = files.plan({"h=1,2,16"}, Hold::budget);
  EXPECT_EQ(plan.held, 32);
  EXPECT_EQ(d_k_of(plan, "h=1"), 32);
  EXPECT_EQ(d_k_of(plan, "h=2"), 16);
  EXPECT_EQ(d_k_of(plan, "h=16"), 2);
  for (const PlannedRun& run : plan.runs) EXPECT_EQ(run.held, 32) << run.run.cell;
}

TEST(HoldBudget, WithoutADkIsTheModelsWidthAndLeavesTheBasesOwnCellAlone) {
  const PlanFiles files(R"("attention": {"num_heads": 4})");
  const SweepPlan plan = files.plan({"h=4,8", "model.d_model=16,32"}, Hold::budget);
  EXPECT_EQ(plan.held, 16);
  EXPECT_TRUE(d_k_of(plan, "h=4,d_model=16").is_null());
  EXPECT_EQ(d_k_of(plan, "h=4,d_model=32"), 4);
  EXPECT_EQ(d_k_of(plan, "h=8,d_model=32"), 2);
}

TEST(HoldBudget, ThatIsNotWholeMakesTheCellInvalidWithBothNumbers) {
  const SweepPlan plan = PlanFiles(R"("attention": {"num_heads": 4})").plan({"h=2,3"}, Hold::budget);
  EXPECT_EQ(run_of(plan, "h=2").run.status, SweepRunStatus::pending);
  EXPECT_EQ(run_of(plan, "h=3").run.status, SweepRunStatus::invalid);
  EXPECT_THAT(run_of(plan, "h=3").run.reason, AllOf(HasSubstr("16"), HasSubstr("h 3"), HasSubstr("\"ceil\"")));
}

TEST(HoldBudget, IsRoundedUpWhereTheBaseSaysCeil) {
  const SweepPlan plan = PlanFiles(R"("attention": {"num_heads": 4, "d_k": "ceil"})").plan({"h=3,4"}, Hold::budget);
  EXPECT_EQ(run_of(plan, "h=3").run.status, SweepRunStatus::pending);
  EXPECT_EQ(d_k_of(plan, "h=3"), "ceil");
  EXPECT_EQ(plan.held, 16);
  EXPECT_EQ(run_of(plan, "h=3").held, 18);
}

TEST(HoldBudget, TakesADkThatAgreesAndRefusesOneThatDoesNot) {
  const PlanFiles files(R"("attention": {"num_heads": 4}, "sweep": {"zip": [["h", "d_k"]]})");
  EXPECT_THAT(cell_names(files.plan({"h=1,2", "d_k=16,8"}, Hold::budget)), ElementsAre("h=1,d_k=16", "h=2,d_k=8"));
  EXPECT_THAT(files.refusal({"h=1,2", "d_k=16,16"}, Hold::budget),
              AllOf(HasSubstr("cell h=2,d_k=16"), HasSubstr("at 16"), HasSubstr("h 2 * d_k 16 is 32"),
                    HasSubstr("--hold nothing")));
}

TEST(HoldBudget, NeedsTheSameHeadsEverywhere) {
  EXPECT_THAT(PlanFiles(R"("attention": {"cross": {"d_k": 4}})").refusal({"h=1,2"}, Hold::budget),
              HasSubstr("attention.cross.d_k"));
  EXPECT_THAT(
      PlanFiles(R"("attention": {"cross": {"layers": {"2": {"num_heads": 4}}}})").refusal({"lr=1"}, Hold::budget),
      HasSubstr("attention.cross.layers.2.num_heads"));
  EXPECT_THAT(PlanFiles(R"("attention": {"d_v": 4})").refusal({"h=1,2"}, Hold::budget), HasSubstr("attention.d_v"));
  EXPECT_THAT(PlanFiles().refusal({"attention.cross.num_heads=1,2"}, Hold::budget),
              HasSubstr("attention.cross.num_heads"));
  EXPECT_THAT(PlanFiles().refusal({R"(attention.cross={"d_k":1},null)"}, Hold::budget), HasSubstr("attention.cross"));
  EXPECT_EQ(PlanFiles().refusal({"attention.cross.attention_dropout=0,0.1"}, Hold::budget), "nothing was thrown");
}

TEST(HoldParams, AdjustsDffAndKeepsTheResidual) {
  // Base: 4 * 16 * 32 + 2 * 16 * 64 = 4096 parameters.
  const PlanFiles files(R"("attention": {"num_heads": 8, "d_k": 4})");
  const SweepPlan plan = files.plan({"h=1,8,9", "d_k=3,4"}, Hold::params);
  EXPECT_EQ(plan.held, 4096);
  EXPECT_EQ(run_of(plan, "h=1,d_k=4").d_ff, 120);  // 256 + 32 * 120
  EXPECT_EQ(run_of(plan, "h=1,d_k=4").config["model"]["d_ff"], 120);
  EXPECT_EQ(run_of(plan, "h=1,d_k=4").held, 4096);
  EXPECT_EQ(run_of(plan, "h=8,d_k=4").d_ff, 64) << "the base's own cell is the base";
  EXPECT_EQ(run_of(plan, "h=9,d_k=3").held, 4096);
  EXPECT_EQ(plan.baseline, "h=8,d_k=4");
}

TEST(HoldParams, ThatLeavesAResidualReportsIt) {
  const SweepPlan plan =
      PlanFiles(R"("attention": {"num_heads": 8, "d_k": 4})").plan({"model.d_model=17"}, Hold::params);
  // 4 * 17 * 32 + 34 * d_ff is nearest to 4096 with d_ff 56 (4080), not 57 (4114).
  EXPECT_EQ(run_of(plan, "d_model=17").d_ff, 56);
  EXPECT_EQ(run_of(plan, "d_model=17").held, 4080);
}

TEST(HoldParams, ThatNoDffReachesMakesTheCellInvalid) {
  const SweepPlan plan = PlanFiles(R"("attention": {"num_heads": 8, "d_k": 4})").plan({"h=8,100"}, Hold::params);
  EXPECT_EQ(run_of(plan, "h=8").run.status, SweepRunStatus::pending);
  EXPECT_EQ(run_of(plan, "h=100").run.status, SweepRunStatus::invalid);
  EXPECT_THAT(run_of(plan, "h=100").run.reason, AllOf(HasSubstr("4,096"), HasSubstr("25,632")));
}

TEST(HoldFlops, AdjustsDffBySameRules) {
  const SweepPlan plan = PlanFiles(R"("attention": {"num_heads": 8, "d_k": 4})").plan({"h=1"}, Hold::flops);
  EXPECT_EQ(plan.held, 6 * 4096);
  EXPECT_EQ(run_of(plan, "h=1").d_ff, 120);
}

TEST(HoldParamsAndFlops, RefuseADffOfTheGrid) {
  const PlanFiles files;
  for (const Hold hold : {Hold::params, Hold::flops}) {
    EXPECT_THAT(files.refusal({"d_ff=32,64"}, hold), AllOf(HasSubstr("d_ff"), HasSubstr("adjusts")));
  }
}

TEST(HoldParams, NeedsABaseThatCanBeCounted) {
  EXPECT_THAT(PlanFiles(R"("attention": {"num_heads": 3})").refusal({"h=2"}, Hold::params),
              AllOf(HasSubstr("attention.num_heads"), HasSubstr("3")));
}

TEST(HoldParams, LeavesInvalidCellsTheirOwnReason) {
  const SweepPlan plan = PlanFiles(R"("attention": {"num_heads": 4})").plan({"h=2,3"}, Hold::params);
  EXPECT_THAT(run_of(plan, "h=3").run.reason, HasSubstr("d_model 16 cannot be divided by num_heads 3"));
}

TEST(HoldNothing, HoldsNothing) {
  const SweepPlan plan = PlanFiles().plan({"h=2"});
  EXPECT_TRUE(std::isnan(plan.held));
  EXPECT_TRUE(std::isnan(plan.runs[0].held));
  EXPECT_EQ(plan.runs[0].d_ff, 0);
}

}  // namespace
}  // namespace mha
