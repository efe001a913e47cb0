#include "analysis/table3.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/analysis/sweep_testing.h"

namespace mha {
namespace {

using ::testing::ElementsAre;
using testing::failed_cell;
using testing::finished_cell;
using ::testing::HasSubstr;
using testing::results_of;
using testing::SweepFolder;

CellResult validated(std::int64_t h, std::int64_t d_k, double ppl, double bleu) {
  CellResult cell = finished_cell(h, d_k, 30);
  cell.validation = {.updates = 100000, .ppl = ppl, .bleu = bleu};
  return cell;
}

TEST(Table3, RowsAreGroupedAndWhatEqualsTheBaseIsBlank) {
  SweepResults results = results_of({validated(1, 64, 5.29, 24.9), validated(8, 8, 4.92, 25.84),
                                     validated(8, 4, 5.16, 25.1), validated(4, 16, 5.0, 25.5),
                                     validated(4, 8, 5.1, 25.2), failed_cell(8, 2, SweepRunStatus::diverged, "x")});
  results.baseline = 1;
  results.cells[4].validation.ppl = results.cells[4].validation.bleu = kUnknown;
  EXPECT_EQ(
      text_table(table3(results)),
      "          N  d_model  d_ff  h  d_k  d_v  P_drop  eps_ls  train steps  PPL (dev)  BLEU (dev)  params x10^6\n"
      "---------------------------------------------------------------------------------------------------------\n"
      "base      2       64   128  8    8    8     0.1     0.1         100K       4.92        25.8          0.16\n"
      "---------------------------------------------------------------------------------------------------------\n"
      "(A)                         1   64   64                                    5.29        24.9\n"
      "                            4   16   16                                    5.00        25.5\n"
      "---------------------------------------------------------------------------------------------------------\n"
      "(B)                              4    4                                    5.16        25.1          0.13\n"
      "---------------------------------------------------------------------------------------------------------\n"
      "(others)                    4                                                 -           -          0.13\n");
}

TEST(Table3, MachinesGetEveryValue) {
  SweepResults results = results_of({validated(8, 8, 4.92, 25.84), validated(8, 4, 5.16, 25.1)});
  EXPECT_EQ(csv_table(table3(results)),
            "row,N,d_model,d_ff,h,d_k,d_v,P_drop,eps_ls,train_steps,ppl_dev,bleu_dev,parameters\n"
            "base,2,64,128,8,8,8,0.1,0.1,100000.0,4.92,25.84,164000\n"
            "(B),2,64,128,8,4,4,0.1,0.1,100000.0,5.16,25.1,132000\n");
}

TEST(Table3, HeadingsAreMathsInLatex) {
  const SweepResults results = results_of({validated(8, 8, 4.92, 25.84)});
  EXPECT_THAT(latex_table(table3(results)),
              HasSubstr("\n & $N$ & $d_{\\mathrm{model}}$ & $d_{\\mathrm{ff}}$ & $h$ & $d_k$ & $d_v$ & $P_{drop}$ & "
                        "$\\epsilon_{ls}$ & train steps & PPL (dev) & BLEU (dev) & params $\\times 10^6$ \\\\\n"));
}

TEST(Table3, AnAxisWithoutAColumnGetsOneAndIsNoRowOfAOrB) {
  SweepResults results = results_of({validated(8, 8, 4.92, 25.84), validated(4, 16, 5, 25)});
  results.cells[0].point["optimizer.lr"] = 0.001;
  results.cells[1].point["optimizer.lr"] = 0.002;
  const std::string text = text_table(table3(results));
  EXPECT_THAT(text, HasSubstr("optimizer.lr"));
  EXPECT_THAT(text, HasSubstr("(others)"));
  results.cells[1].point["optimizer.lr"] = 0.001;
  EXPECT_THAT(text_table(table3(results)), HasSubstr("(A)"));
}

/// The axes of sweep.json have short names.
TEST(Table3, AxesThatAreColumnsOfThePaperGetNoSecondOne) {
  SweepResults results = results_of({validated(8, 8, 4.92, 25.84), validated(4, 16, 5, 25), validated(8, 4, 5, 25)});
  for (CellResult& cell : results.cells) {
    cell.point["d_v"] = *cell.shape->d_v;  // zipped with d_k
    cell.point["d_model"] = cell.shape->d_model;
    cell.point["d_ff"] = cell.shape->d_ff;
  }
  EXPECT_EQ(csv_table(table3(results)),
            "row,N,d_model,d_ff,h,d_k,d_v,P_drop,eps_ls,train_steps,ppl_dev,bleu_dev,parameters\n"
            "base,2,64,128,8,8,8,0.1,0.1,100000.0,4.92,25.84,164000\n"
            "(A),2,64,128,4,16,16,0.1,0.1,100000.0,5.0,25.0,164000\n"
            "(B),2,64,128,8,4,4,0.1,0.1,100000.0,5.0,25.0,132000\n");
}

TEST(Table3, ACellThatTrainsLongerIsAmongTheOthers) {
  SweepResults results = results_of({validated(8, 8, 4.92, 25.84), validated(4, 16, 5, 25)});
  results.cells[0].point["train.max_update"] = 1000;
  results.cells[1].point["train.max_update"] = 2000;
  EXPECT_THAT(text_table(table3(results)), HasSubstr("(others)"));
}

TEST(Table3, AModelOfAnotherSizeIsAmongTheOthers) {
  SweepResults results = results_of({validated(8, 8, 4.92, 25.84), validated(8, 4, 5, 25)});
  results.cells[1].shape->d_ff = 160;  // as when the parameters are held fixed
  results.cells[1].shape->decoder_layers = 3;
  const std::string text = text_table(table3(results));
  EXPECT_THAT(text, HasSubstr("(others)  2/3"));
  EXPECT_THAT(text, HasSubstr("160"));
}

TEST(Table3, WithoutABaselineThereAreNoRows) {
  EXPECT_TRUE(table3(results_of({})).rows.empty());
  EXPECT_TRUE(table3(results_of({failed_cell(8, 2, SweepRunStatus::invalid, "x")})).rows.empty());
}

TEST(Table3, NotesSayWhatBleuIs) {
  SweepFolder folder;
  folder.done(8, 8, 1, 12);
  EXPECT_THAT(table3_notes(folder.collect()), ElementsAre(HasSubstr("(A)"), HasSubstr("per subword"),
                                                          AllOf(HasSubstr("by greedy search"), HasSubstr("tok:13a"))));
  EXPECT_THAT(table3_notes(results_of({finished_cell(8, 8, 30)})).back(), HasSubstr("did not translate"));
}

}  // namespace
}  // namespace mha
