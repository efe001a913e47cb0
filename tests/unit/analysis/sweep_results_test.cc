#include "analysis/sweep_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/pareto.h"
#include "analysis/sweep_notes.h"
#include "analysis/sweep_table.h"
#include "support/message_of.h"
#include "unit/analysis/sweep_testing.h"

namespace mha {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;
using ::testing::Not;
using testing::SweepFolder;

TEST(SweepResults, FiguresAreMeansOverSeeds) {
  SweepFolder folder;
  folder.done(4, 8, 1, 20);
  folder.done(4, 8, 2, 6);
  const SweepResults results = folder.collect();
  ASSERT_EQ(results.cells.size(), 1u);
  const CellResult& cell = results.cells[0];
  EXPECT_EQ(cell.status, "done");
  EXPECT_EQ(cell.finished, 2);
  EXPECT_THAT(cell.unfinished, IsEmpty());
  EXPECT_DOUBLE_EQ(cell.nll_loss, 2.5);
  EXPECT_DOUBLE_EQ(cell.ppl, std::exp(2.5));
  EXPECT_DOUBLE_EQ(cell.latency, 0.01);
  EXPECT_EQ(cell.peak_resident_bytes, 2000000);
  EXPECT_EQ(cell.parameters, 5001);
  EXPECT_EQ(cell.train_flops_per_token, 1.25e6);
  EXPECT_EQ(cell.validation.updates, 2000);
  EXPECT_DOUBLE_EQ(cell.validation.ppl, std::exp(1.5));
  EXPECT_EQ(cell.validation.bleu, 20.0);
  EXPECT_EQ(cell.attention_path, "packed");
  EXPECT_EQ(cell.measured_on, "packed attention, cpu (a processor), 2 threads, fp32");
  ASSERT_TRUE(cell.shape);
  EXPECT_EQ(cell.shape->heads_times_d_k, 32);
}

TEST(SweepResults, SpreadOfBleuIsStudents) {
  SweepFolder folder;
  folder.done(4, 8, 1, 20);
  folder.done(4, 8, 2, 6);
  const CellResult cell = folder.collect().cells.at(0);
  const double a = cell.runs[0].report.test->bleu["score"], b = cell.runs[1].report.test->bleu["score"];
  EXPECT_DOUBLE_EQ(cell.bleu.mean, (a + b) / 2);
  EXPECT_NEAR(cell.bleu.sd, std::abs(a - b) / std::sqrt(2.0), 1e-12);
  // The 97.5 % quantile of Student's t with one degree of freedom is tan(0.475 pi).
  EXPECT_NEAR(cell.bleu.high - cell.bleu.mean, 12.7062047361747 * std::abs(a - b) / 2, 1e-9);
}

TEST(SweepResults, OneSeedHasNoSpread) {
  SweepFolder folder;
  folder.done(4, 8, 1, 20);
  const CellResult cell = folder.collect().cells.at(0);
  EXPECT_TRUE(std::isfinite(cell.bleu.mean));
  EXPECT_TRUE(std::isnan(cell.bleu.sd) && std::isnan(cell.bleu.low));
}

TEST(SweepResults, ACellOfWhichSomeSeedsFailedSaysSo) {
  SweepFolder folder;
  folder.done(4, 8, 1, 20);
  SweepRun& failed = folder.plan(4, 8, 2);
  failed.status = SweepRunStatus::out_of_memory;
  failed.reason = "killed at 4 GiB";
  folder.plan(4, 8, 3);
  const CellResult cell = folder.collect().cells.at(0);
  EXPECT_EQ(cell.status, "1 done, 1 out of memory, 1 pending");
  ASSERT_EQ(cell.unfinished.size(), 2u);
  EXPECT_EQ(cell.unfinished[0].reason, "killed at 4 GiB");
  EXPECT_EQ(cell.unfinished[0].log, "logs/h=4,d_k=8-2.log");
  EXPECT_TRUE(std::isfinite(cell.bleu.mean));
}

TEST(SweepResults, ACellWithoutAnyResultStillHasAShapeAndItsPlannedSize) {
  SweepFolder folder;
  folder.plan(4, 12, 1);
  const CellResult cell = folder.collect().cells.at(0);
  EXPECT_EQ(cell.status, "pending");
  EXPECT_EQ(cell.parameters, 48000);
  ASSERT_TRUE(cell.shape);
  EXPECT_EQ(cell.shape->num_heads, 4);
  EXPECT_EQ(cell.shape->d_k, 12);
  EXPECT_TRUE(std::isnan(cell.bleu.mean));
}

TEST(SweepResults, AnInvalidCellHasNoShape) {
  SweepFolder folder;
  SweepRun& run = folder.plan(3, 1, 1);
  run.point = {{"h", 3}};
  run.status = SweepRunStatus::invalid;
  EXPECT_FALSE(folder.collect().cells.at(0).shape);  // 512 / 3
}

TEST(SweepResults, AFinishedRunWithoutAReadableReportIsAFailedOne) {
  SweepFolder folder;
  folder.done(4, 8, 1, 20);
  SweepRun& lost = folder.plan(4, 8, 2);
  lost.status = SweepRunStatus::done;
  SweepRun& broken = folder.done(4, 8, 3, 20);
  folder.folder().write(broken.run_dir + "/report.json", "{");
  SweepRun& other = folder.done(4, 8, 4, 20);
  RunReport interrupted = folder.report(other, 20);
  interrupted.status = RunStatus::interrupted;
  folder.write(other, interrupted);
  const CellResult cell = folder.collect().cells.at(0);
  EXPECT_EQ(cell.status, "1 done, 3 failed");
  EXPECT_THAT(cell.unfinished[0].reason, HasSubstr("cannot be read"));
  EXPECT_THAT(cell.unfinished[1].reason, HasSubstr("cannot be read"));
  EXPECT_THAT(cell.unfinished[2].reason, HasSubstr("interrupted"));
}

TEST(SweepResults, FiguresThatAreNotKnownNeverThrow) {
  SweepFolder folder;
  SweepRun& run = folder.done(4, 8, 1, 20);
  RunReport report = folder.report(run, 20);
  report.test->nll_loss = report.test->ppl = report.test->decode_seconds = kUnknown;
  report.test->bleu = report.test->chrf = nullptr;
  report.throughput.wps = report.throughput.seconds.total = kUnknown;
  report.training.validations[0].nll_loss = kUnknown;
  report.training.validations[0].bleu.reset();
  report.training.best.reset();
  report.memory.peak_resident_bytes = 0;
  folder.write(run, report);
  SweepRun& without = folder.done(4, 8, 2, 20);
  report.test.reset();
  report.training.validations.clear();
  folder.write(without, report);
  const CellResult cell = folder.collect().cells.at(0);
  EXPECT_EQ(cell.finished, 2);
  for (const double figure :
       {cell.nll_loss, cell.ppl, cell.bleu.mean, cell.chrf, cell.wps, cell.wall, cell.latency, cell.validation.bleu}) {
    EXPECT_TRUE(std::isnan(figure));
  }
  EXPECT_FALSE(cell.peak_resident_bytes);
}

TEST(SweepResults, SpeedMeasuredInAnotherWayIsNotComparable) {
  SweepFolder folder;
  folder.done(4, 8, 1, 20);
  folder.done(2, 8, 1, 20);
  SweepRun& run = folder.done(1, 8, 1, 20);
  RunReport padded = folder.report(run, 20);
  padded.attention[0].path = "padded";
  folder.write(run, padded);
  const SweepResults results = folder.collect();
  EXPECT_TRUE(results.cells[0].comparable && results.cells[1].comparable);
  EXPECT_FALSE(results.cells[2].comparable);
  EXPECT_EQ(results.cells[2].attention_path, "padded");
}

TEST(SweepResults, SpeedIsOfTheRunsThatWereMeasuredAsMostWere) {
  SweepFolder folder;
  SweepRun& first = folder.done(4, 8, 1, 20);
  RunReport alone = folder.report(first, 20);
  alone.provenance.threads = 4;
  alone.throughput.wps = 33000;
  alone.memory.peak_resident_bytes = 99000000;
  folder.write(first, alone);
  folder.done(4, 8, 2, 20);
  folder.done(2, 8, 1, 20);
  const SweepResults results = folder.collect();
  EXPECT_TRUE(results.cells[0].comparable && results.cells[1].comparable);
  EXPECT_EQ(results.cells[0].wps, 10000);
  EXPECT_EQ(results.cells[0].peak_resident_bytes, 2000000);
  EXPECT_EQ(results.cells[0].measured_on, results.cells[1].measured_on);
}

TEST(SweepResults, BleuOfAnotherKindIsTold) {
  SweepFolder folder;
  folder.done(4, 8, 1, 20);
  folder.done(2, 8, 1, 20);
  SweepRun& other = folder.done(1, 8, 1, 20);
  RunReport report = folder.report(other, 20);
  report.test->bleu["signature"] = "tok:none";
  folder.write(other, report);
  SweepRun& others = folder.done(8, 8, 1, 20);
  report = folder.report(others, 20);
  report.config["data"]["test"]["target"] = {"another.de"};
  folder.write(others, report);
  const SweepResults results = folder.collect();
  EXPECT_TRUE(results.cells[0].same_test && results.cells[1].same_test);
  EXPECT_FALSE(results.cells[2].same_test || results.cells[3].same_test);
}

TEST(SweepResults, APathThatAnOldReportDoesNotSayIsUnknown) {
  SweepFolder folder;
  SweepRun& run = folder.done(4, 8, 1, 20);
  RunReport report = folder.report(run, 20);
  report.attention[0].path = "";
  folder.write(run, report);
  const CellResult cell = folder.collect().cells.at(0);
  EXPECT_EQ(cell.measured_on, "unknown attention, cpu (a processor), 2 threads, fp32");
  EXPECT_EQ(cell.attention_path, "");
}

TEST(SweepResults, TheFirstCellWithAResultStandsInForABaselineWithout) {
  SweepFolder folder;
  folder.plan(8, 8, 1);
  folder.plan(4, 8, 1);
  folder.done(2, 8, 1, 20);
  folder.done(1, 8, 1, 20);
  const SweepResults results = folder.collect();
  EXPECT_EQ(results.cells.at(results.baseline).cell, "h=2,d_k=8");
  EXPECT_TRUE(results.baseline_stands_in);
}

TEST(SweepResults, TheBaselineOfThePlanIsKept) {
  SweepFolder folder;
  folder.done(8, 8, 1, 20);
  folder.done(4, 8, 1, 20);
  folder.sweep.baseline = "h=4,d_k=8";
  const SweepResults results = folder.collect();
  EXPECT_EQ(results.baseline, 1u);
  EXPECT_FALSE(results.baseline_stands_in);
}

TEST(SweepResults, PhenomenaArePooledOverSeeds) {
  SweepFolder folder;
  for (const std::int64_t seed : {1, 2}) {
    SweepRun& run = folder.done(4, 8, seed, 20);
    RunReport report = folder.report(run, 20);
    report.phenomena = {{.name = "negation", .n = 100, .correct = 80 + 10 * seed}};
    folder.write(run, report);
  }
  const CellResult cell = folder.collect().cells.at(0);
  ASSERT_EQ(cell.phenomena.size(), 1u);
  EXPECT_EQ(cell.phenomena[0].n, 200);
  EXPECT_DOUBLE_EQ(cell.phenomena[0].accuracy, 0.95);
}

TEST(SweepResults, AMeanIsOfEverySeedOrOfNone) {
  SweepFolder folder;
  folder.done(4, 8, 1, 20);
  SweepRun& run = folder.done(4, 8, 2, 20);
  RunReport report = folder.report(run, 20);
  report.test->bleu["score"] = nullptr;
  report.test->nll_loss = kUnknown;
  folder.write(run, report);
  const SweepResults results = folder.collect();
  EXPECT_EQ(results.cells[0].finished, 2);
  EXPECT_TRUE(std::isnan(results.cells[0].bleu.mean));
  EXPECT_TRUE(std::isnan(results.cells[0].nll_loss));
  EXPECT_TRUE(std::isfinite(results.cells[0].wps));
  EXPECT_THAT(sweep_notes(results, {}), Contains(HasSubstr("No BLEU or no finite loss at seed 2")));
}

TEST(SweepResults, ARunThatTheSweepHasNotHeardOfCounts) {
  SweepFolder folder;
  for (const SweepRunStatus status :
       {SweepRunStatus::pending, SweepRunStatus::running, SweepRunStatus::interrupted, SweepRunStatus::failed}) {
    SweepRun& run = folder.done(4, 8, static_cast<std::int64_t>(status), 20);
    run.status = status;
  }
  folder.plan(4, 8, 99).status = SweepRunStatus::running;
  const CellResult cell = folder.collect().cells.at(0);
  EXPECT_EQ(cell.finished, 4);
  EXPECT_EQ(cell.seeds, 5);
  EXPECT_EQ(cell.status, "4 done, 1 running");
}

TEST(SweepResults, WhatWasTakenOffTheGridIsNotAwaited) {
  SweepFolder folder;
  folder.done(4, 8, 1, 20);
  SweepRun& dropped = folder.plan(4, 8, 2);
  dropped.status = SweepRunStatus::excluded;
  dropped.reason = kNotInGrid;
  folder.done(2, 8, 2, 20);
  const SweepResults results = folder.collect();
  EXPECT_EQ(results.cells[0].seeds, 1);
  EXPECT_EQ(results.cells[0].status, "done");
}

TEST(SweepResults, OtherSubwordsAreNotCompared) {
  SweepFolder folder;
  const std::vector<std::string> hashes = {"a", "b", ""};
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    SweepRun& run = folder.done(4, static_cast<std::int64_t>(8 + i), 1, 20);
    RunReport report = folder.report(run, 20);
    report.vocabulary.target_hash = hashes[i];
    report.throughput.wps *= static_cast<double>(1 + i);
    folder.write(run, report);
  }
  SweepResults results = folder.collect();
  EXPECT_TRUE(results.cells[0].same_vocabulary && results.cells[2].same_vocabulary);
  EXPECT_FALSE(results.cells[1].same_vocabulary);
  mark_fronts(results.cells);
  EXPECT_THAT(results.cells[1].fronts, Not(Contains("tokens/s")));
  EXPECT_THAT(results.cells[2].fronts, Contains("tokens/s"));
  EXPECT_THAT(sweep_notes(results, {}), Contains(HasSubstr("other subwords than the baseline's")));
  const Table table = sweep_table(results);
  const auto column = std::ranges::find(table.columns, "ppl", &TableColumn::key) - table.columns.begin();
  EXPECT_THAT(table.rows[1][static_cast<std::size_t>(column)].text, HasSubstr("(!)"));
  EXPECT_THAT(table.rows[0][static_cast<std::size_t>(column)].text, Not(HasSubstr("(!)")));
}

TEST(SweepResults, OtherTrainingPairsAreTold) {
  SweepFolder folder;
  for (const std::int64_t d_k : {8, 16}) {
    SweepRun& run = folder.done(4, d_k, 1, 20);
    RunReport report = folder.report(run, 20);
    report.data["train"].hash = d_k == 8 ? "a" : "b";
    folder.write(run, report);
  }
  EXPECT_THAT(sweep_notes(folder.collect(), {}),
              Contains(HasSubstr("Trained on other pairs than the baseline: h=4,d_k=16")));
}

TEST(SweepResults, DifferentBuildsAreTold) {
  SweepFolder folder;
  for (const std::int64_t d_k : {8, 16}) {
    SweepRun& run = folder.done(4, d_k, 1, 20);
    RunReport report = folder.report(run, 20);
    report.provenance.version = "1";
    report.provenance.commit = d_k == 8 ? "abc" : "def";
    folder.write(run, report);
  }
  EXPECT_THAT(sweep_notes(folder.collect(), {}),
              Contains("The runs are of different builds of the program: 1 (abc), 1 (def)."));
}

TEST(SweepResults, APlannedShapeHasWhatIsHeldAndTheShortNames) {
  SweepFolder folder;  // the base: d_model 512, 8 heads
  folder.sweep.hold = "h*d_k";
  SweepRun& run = folder.plan(16, 0, 1);
  run.point = {{"h", 16}, {"d_ff", 96}, {"lr", 0.5}};
  CellShape shape = folder.collect().cells.at(0).shape.value();
  EXPECT_EQ(shape.num_heads, 16);
  EXPECT_EQ(shape.d_k, 32);
  EXPECT_EQ(shape.heads_times_d_k, 512);
  EXPECT_EQ(shape.d_ff, 96);

  run.point["h"] = 6;
  EXPECT_FALSE(folder.collect().cells.at(0).shape);  // 512 / 6
  folder.sweep.base["attention"]["d_k"] = "ceil";
  EXPECT_EQ(folder.collect().cells.at(0).shape.value().d_k, 86);

  folder.sweep.hold = "params";
  EXPECT_FALSE(folder.collect().cells.at(0).shape);  // nobody has said what d_ff was adjusted to
  run.id = "0123456789ab";
  json config = folder.sweep.base;
  config["model"]["d_ff"] = 77;
  folder.folder().write("configs/0123456789ab.json", dump_json(config));
  EXPECT_EQ(folder.collect().cells.at(0).shape.value().d_ff, 77);
}

TEST(SweepResults, WidthsThatWereAdjustedAreShownWithWhatIsHeld) {
  SweepResults results = testing::results_of({testing::finished_cell(4, 8, 20), testing::finished_cell(8, 8, 20)});
  const auto widths = [&] { return std::ranges::count(sweep_table(results).columns, "d_ff", &TableColumn::key); };
  EXPECT_EQ(widths(), 0);
  results.cells[1].shape->d_ff = 100;
  EXPECT_EQ(widths(), 1);
  results.sweep.hold = "params";
  results.cells[0].parameters = 1000;
  results.cells[1].parameters = 1004;
  EXPECT_THAT(sweep_notes(results, {}),
              Contains("params are held by d_ff; off those of h=4,d_k=8: h=8,d_k=8 +0.40 %."));
  results.cells[1].parameters.reset();
  EXPECT_THAT(sweep_notes(results, {}), Not(Contains(HasSubstr("are held"))));
  results.cells[1].point["d_ff"] = 100;
  EXPECT_EQ(widths(), 1);  // as an axis, once
}

TEST(SweepResults, RunsWithOneReasonKeepTheirLogs) {
  SweepFolder folder;
  for (const std::int64_t seed : {1, 2}) {
    SweepRun& run = folder.plan(4, 8, seed);
    run.status = SweepRunStatus::failed;
    run.reason = "killed";
  }
  SweepRun& never = folder.plan(3, 8, 1);
  never.status = SweepRunStatus::invalid;
  never.reason = "3 heads";
  const Table table = unfinished_table(folder.collect());
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][4].text, "logs/h=4,d_k=8-1.log, logs/h=4,d_k=8-2.log");
  EXPECT_EQ(table.rows[1][4].text, "-");
}

TEST(SweepResults, AFolderWithoutASweepIsRefused) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT(message_of([&] { collect_sweep(folder.path()); }), HasSubstr("has no sweep.json"));
}

}  // namespace
}  // namespace mha
