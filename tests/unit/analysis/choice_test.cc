#include "analysis/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/message_of.h"
#include "unit/analysis/sweep_testing.h"

namespace mha {
namespace {

using ::testing::ElementsAre;
using testing::failed_cell;
using testing::finished_cell;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;
using ::testing::Pair;
using testing::results_of;
using testing::SweepFolder;

std::string chosen(const SweepResults& results, double margin, Smallest smallest = Smallest::params) {
  return results.cells[choose_cell(results, margin, smallest).chosen].cell;
}

TEST(Choice, TakesTheSmallestWithinTheMargin) {
  const SweepResults results =
      results_of({finished_cell(8, 8, 30.3), finished_cell(4, 8, 30.0), finished_cell(2, 8, 29.9)});
  EXPECT_EQ(chosen(results, 0), "h=8,d_k=8");
  EXPECT_EQ(chosen(results, 0.3), "h=4,d_k=8");  // 30.3 - 30.0, rounding or not
  EXPECT_EQ(chosen(results, 0.29), "h=8,d_k=8");
  EXPECT_EQ(chosen(results, 5), "h=2,d_k=8");
  EXPECT_THAT(choose_cell(results, 0.3, Smallest::params).within, ElementsAre(0, 1));
}

TEST(Choice, ByMemoryAndLatency) {
  SweepResults results = results_of({finished_cell(8, 8, 30), finished_cell(4, 8, 30), finished_cell(2, 8, 30)});
  results.cells[0].peak_resident_bytes = 5;
  results.cells[1].latency = 0.0001;
  EXPECT_EQ(chosen(results, 0.3, Smallest::memory), "h=8,d_k=8");
  EXPECT_EQ(chosen(results, 0.3, Smallest::latency), "h=4,d_k=8");
  results.cells[1].latency = kUnknown;  // not known is not the smallest
  results.cells[2].latency = 0.0015;
  EXPECT_EQ(chosen(results, 0.3, Smallest::latency), "h=2,d_k=8");
}

TEST(Choice, OfEqualSizesTheBetterOne) {
  SweepResults results =
      results_of({finished_cell(8, 8, 30.0), finished_cell(4, 16, 30.2), finished_cell(2, 32, 30.1)});
  EXPECT_EQ(chosen(results, 0.3), "h=4,d_k=16");
}

TEST(Choice, CellsThatLackSeedsTakeNoPart) {
  SweepResults results = results_of({finished_cell(8, 8, 30), finished_cell(4, 8, 31), finished_cell(2, 8, 29.8)});
  results.cells[1].seeds = 4;
  results.cells.push_back(failed_cell(1, 8, SweepRunStatus::failed, "x"));
  results.cells[2].bleu.mean = kUnknown;
  const Choice choice = choose_cell(results, 0.3, Smallest::params);
  EXPECT_EQ(choice.chosen, 0u);
  EXPECT_THAT(choice.left_out,
              ElementsAre(Pair(LeftOut::no_run, ElementsAre(3)), Pair(LeftOut::lacks_seeds, ElementsAre(1)),
                          Pair(LeftOut::no_bleu, ElementsAre(2))));
  EXPECT_THAT(choice_text(results, choice, 0.3, Smallest::params),
              HasSubstr("\nleft out, none of its runs has finished: h=1,d_k=8\n"
                        "left out, not all of its seeds have finished: h=4,d_k=8\n"
                        "left out, its test BLEU is not known: h=2,d_k=8\n"));
  const json said = choice_json(results, choice, 0.3, Smallest::params);
  EXPECT_EQ(said["left_out"].size(), 3u);
  EXPECT_EQ(said["left_out"][0], json({{"cell", "h=1,d_k=8"}, {"why", "none of its runs has finished"}}));
}

TEST(Choice, CellsOfUnknownSizeTakeNoPart) {
  SweepResults results = results_of({finished_cell(8, 8, 30), finished_cell(4, 8, 29.9), finished_cell(2, 8, 20)});
  results.cells[1].peak_resident_bytes = std::nullopt;
  results.cells[2].peak_resident_bytes = std::nullopt;  // would not have been taken anyhow
  const Choice choice = choose_cell(results, 0.3, Smallest::memory);
  EXPECT_EQ(choice.chosen, 0u);
  EXPECT_THAT(choice_text(results, choice, 0.3, Smallest::memory),
              HasSubstr("\nleft out, its size is not known: h=4,d_k=8\n"));
}

TEST(Choice, CellsWithBleuOfAnotherKindTakeNoPart) {
  SweepResults results = results_of({finished_cell(8, 8, 30), finished_cell(4, 8, 45)});
  results.cells[1].same_test = false;
  const Choice choice = choose_cell(results, 0.3, Smallest::params);
  EXPECT_EQ(choice.chosen, 0u);
  EXPECT_THAT(choice.left_out, ElementsAre(Pair(LeftOut::other_test, ElementsAre(1))));
  EXPECT_THAT(choice_text(results, choice, 0.3, Smallest::params), HasSubstr("scored on other test data"));
}

TEST(Choice, RefusesWhereThereIsNothingToChoose) {
  EXPECT_THAT(message_of([] { choose_cell(results_of({}), 0.3, Smallest::params); }), HasSubstr("no cell"));
  SweepResults half = results_of({finished_cell(8, 8, 30)});
  half.cells[0].seeds = 5;
  EXPECT_THAT(message_of([&] { choose_cell(half, 0.3, Smallest::params); }), HasSubstr("let the sweep finish"));
  SweepResults unknown = results_of({finished_cell(8, 8, 30)});
  unknown.cells[0].latency = kUnknown;
  EXPECT_THAT(message_of([&] { choose_cell(unknown, 0.3, Smallest::latency); }), HasSubstr("latency"));
}

TEST(Choice, SizesThatWereNotMeasuredAlikeAreTold) {
  SweepResults results = results_of({finished_cell(8, 8, 30), finished_cell(4, 8, 30)});
  results.cells[1].measured_on = "padded attention";
  EXPECT_THAT(choose_cell(results, 0.3, Smallest::params).unlike, IsEmpty());
  const Choice choice = choose_cell(results, 0.3, Smallest::memory);
  EXPECT_EQ(choice.unlike.size(), 2u);
  EXPECT_THAT(choice_text(results, choice, 0.3, Smallest::memory), HasSubstr("not measured alike"));
}

TEST(Choice, TextNamesTheCellAndTheBest) {
  SweepResults results = results_of({finished_cell(8, 8, 30.3), finished_cell(4, 8, 30.0)});
  results.cells[0].bleu.sd = results.cells[1].bleu.sd = 0.2;
  EXPECT_EQ(choice_text(results, choose_cell(results, 0.3, Smallest::params), 0.3, Smallest::params),
            "h=4,d_k=8  30.00 BLEU (3 seeds, sd 0.20), 132,000 parameters\n"
            "the smallest by params of 2 cells within 0.30 BLEU of the best, h=8,d_k=8  30.30 BLEU (3 seeds, sd 0.20), "
            "164,000 parameters\n");
  const SweepResults one = results_of({finished_cell(8, 8, 30.3, 1)});
  EXPECT_THAT(choice_text(one, choose_cell(one, 0.3, Smallest::latency), 0.3, Smallest::latency),
              AllOf(HasSubstr("2.00 ms a sentence"), HasSubstr("at one seed")));
}

TEST(Choice, JsonHoldsTheConfiguration) {
  const SweepResults results = results_of({finished_cell(8, 8, 30.3), finished_cell(4, 8, 30.0)});
  const json said = choice_json(results, choose_cell(results, 0.3, Smallest::params), 0.3, Smallest::params);
  EXPECT_EQ(said["cell"], "h=4,d_k=8");
  EXPECT_EQ(said["best"], "h=8,d_k=8");
  EXPECT_EQ(said["result"]["parameters"], 132000);
  EXPECT_EQ(said["left_out"], json::array());
  for (const char* not_looked_at : {"against_baseline", "fronts"})
    EXPECT_FALSE(said["result"].contains(not_looked_at)) << not_looked_at;
  EXPECT_TRUE(said["config"].contains("model"));
}

TEST(Choice, ConfigurationIsThatOfTheCellWithoutWhatBelongsToTheRun) {
  SweepFolder folder;
  folder.sweep.base["name"] = "grid";
  folder.sweep.base["threads"] = 7;
  folder.sweep.base["data"]["cache_dir"] = "somewhere";
  folder.done(4, 8, 3, 20);
  const SweepResults results = folder.collect();
  const json config = config_to_keep(results, results.cells[0]);
  EXPECT_FALSE(config.contains("seed") || config.contains("run_dir"));
  EXPECT_EQ(config["threads"], 7);
  EXPECT_EQ(config["data"]["cache_dir"], "somewhere");
  EXPECT_EQ(config["name"], "grid");
  EXPECT_EQ(config["attention"]["num_heads"], 4);
  EXPECT_EQ(config["attention"]["d_k"], 8);
  const LoadedConfig loaded = load_config(folder.folder().write("picked.json", dump_json(config)), {}, {"scaled_dot"});
  EXPECT_EQ(loaded.config.attention.num_heads, 4);
  EXPECT_EQ(loaded.config.seed, RunConfig{}.seed);
}

TEST(Choice, MarginsAreBleuPoints) {
  EXPECT_DOUBLE_EQ(parse_bleu_margin("0.3bleu"), 0.3);
  EXPECT_DOUBLE_EQ(parse_bleu_margin("1"), 1);
  for (const char* text : {"", "bleu", "0.3%", "-1bleu", "nan", "inf", "0.3 bleu", "0,3"})
    EXPECT_THAT(message_of([&] { parse_bleu_margin(text); }), HasSubstr("such as 0.3bleu")) << text;
}

}  // namespace
}  // namespace mha
