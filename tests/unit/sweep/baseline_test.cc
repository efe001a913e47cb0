#include "unit/sweep/plan_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::PlanFiles;

std::string baseline(const PlanFiles& files, const std::string& wish, std::vector<std::string> axes) {
  PlanRequest request = files.request(std::move(axes));
  request.baseline = wish;
  return make_plan(request, testing::toy_functions()).baseline;
}
std::string refusal(const PlanFiles& files, const std::string& wish, const std::vector<std::string>& axes) {
  return testing::message_of([&] { baseline(files, wish, axes); });
}

TEST(Baseline, IsTheCellThatIsTheBase) {
  EXPECT_EQ(baseline(PlanFiles(R"("attention": {"num_heads": 4})"), "", {"h=2,4", "lr=1e-3,5e-4"}), "h=4,lr=0.0005");
  EXPECT_EQ(baseline(PlanFiles(R"("attention": {"num_heads": 4})"), "", {"h=2,4", "d_k=2,4", "seed=5,6"}), "h=4,d_k=4")
      << "an absent d_k is d_model / num_heads";
}

TEST(Baseline, IsElseTheFirstThatCanBeTrained) { EXPECT_EQ(baseline(PlanFiles(), "", {"h=3,2,4"}), "h=2"); }

TEST(Baseline, IsFoundByNameOrValues) {
  const PlanFiles files(R"("sweep": {"points": [{"name": "wide", "d_ff": 99}, {"name": "same", "h": 2, "d_k": 8}]})");
  const std::vector<std::string> axes = {"h=1,2", "d_k=4,8"};
  EXPECT_EQ(baseline(files, "wide", axes), "wide");
  EXPECT_EQ(baseline(files, "h=1,d_k=8", axes), "h=1,d_k=8");
  EXPECT_EQ(baseline(files, "d_k=8,h=1", axes), "h=1,d_k=8");
  EXPECT_EQ(baseline(files, "d_ff=99", axes), "wide");
  EXPECT_EQ(baseline(files, "same", axes), "h=2,d_k=8") << "a second name of the same cell";
}

TEST(Baseline, OfTheFileGivesWayToTheCommandLine) {
  const PlanFiles files(R"("sweep": {"baseline": "h=2"})");
  EXPECT_EQ(baseline(files, "", {"h=1,2"}), "h=2");
  EXPECT_EQ(baseline(files, "h=1", {"h=1,2"}), "h=1");
}

TEST(Baseline, ThatCannotBeIsRefused) {
  const PlanFiles files;
  EXPECT_THAT(refusal(files, "wide", {"h=1,2"}),
              AllOf(HasSubstr("--baseline: no cell is called wide"), HasSubstr("h=1; h=2")));
  EXPECT_THAT(refusal(files, "h=4", {"h=1,2"}), HasSubstr("no cell has h=4"));
  EXPECT_THAT(refusal(files, "h=1", {"h=1,2", "d_k=4,8"}),
              AllOf(HasSubstr("2 cells have h=1"), HasSubstr("h=1,d_k=4; h=1,d_k=8")));
  EXPECT_THAT(refusal(files, "h=3", {"h=2,3"}), AllOf(HasSubstr("h=3 is invalid"), HasSubstr("num_heads 3")));
  EXPECT_THAT(refusal(files, "hh=3", {"h=2,3"}), HasSubstr("did you mean h?"));
  EXPECT_THAT(refusal(PlanFiles(R"("sweep": {"baseline": "x"})"), "", {"h=2"}), HasSubstr("sweep.baseline"));
}

}  // namespace
}  // namespace mha
