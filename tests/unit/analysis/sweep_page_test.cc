#include "analysis/sweep_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "analysis/pareto.h"
#include "support/message_of.h"
#include "unit/analysis/sweep_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using testing::failed_cell;
using testing::finished_cell;
using ::testing::HasSubstr;
using testing::message_of;
using ::testing::Not;
using testing::results_of;
using testing::SweepFolder;

/// Three cells: a baseline, one that is worse and not comparable in speed, one that failed. Of their runs nothing is
/// left, so that no notes depend on them.
SweepResults sample() {
  SweepResults results = results_of({finished_cell(8, 8, 30.25), finished_cell(1, 8, 28.5, 2),
                                     failed_cell(4, 8, SweepRunStatus::out_of_memory, "killed at 4 GiB | 90 %")});
  results.sweep.command = "mha-train sweep --config tiny.json h=8,1,4 d_k=8";
  results.sweep.axes = {{"h", {8, 1, 4}}, {"d_k", json::array({8})}, {"seed", {1, 2, 3}}};
  CellResult &base = results.cells[0], &other = results.cells[1];
  base.train_flops_per_token = 1.234e6;
  base.nll_loss = 1.25;
  base.ppl = 3.4903;
  base.bleu = {.mean = 30.25, .sd = 0.2, .low = 29.75, .high = 30.75};
  base.chrf = 55.5;
  base.wall = 65;
  base.against_baseline.verdict = CellVerdict::baseline;
  other.seeds = 3;
  other.status = "2 done, 1 failed";
  other.unfinished = {{.seed = 2, .status = SweepRunStatus::failed, .reason = "disk full", .log = "logs/b.log"}};
  other.against_baseline = {
      .verdict = CellVerdict::worse, .difference = -1.75, .low = -2.5, .high = -1, .p = 0.0001, .p_holm = 0.0002};
  other.comparable = false;
  other.measured_on = "padded attention, cpu (a processor), 2 threads, fp32";
  other.phenomena = {{.name = "negation", .n = 200, .correct = 190, .accuracy = 0.95}};
  mark_fronts(results.cells);
  return results;
}

std::string page(TableFormat format, bool phenomena = false) {
  return sweep_page(sample(), {}, {.format = format, .like_table3 = false, .phenomena = phenomena});
}

constexpr const char* kNotes[] = {
    "nll: natural logarithms per target subword, EOS counted, without label smoothing, mean over seeds; ppl = "
    "exp(nll).",
    "params: trained parameters, a shared matrix once. FLOPs/token: matrix products of training, forward and backward, "
    "per target token, as planned.",
    "tokens/s: target subwords, EOS counted, over training time alone. memory: most resident in any process of "
    "the cell. time: wall time of a run, test included. All of runs on: packed attention, cpu (a processor), 2 "
    "threads, "
    "fp32.",
    "(!) not comparable in speed and memory: h=1,d_k=8, padded attention, cpu (a processor), 2 threads, fp32.",
    "front: on the Pareto front of BLEU against tokens/s (t), parameters (p), memory (m)."};

std::string as_it_is(std::string_view text) { return std::string(text); }

std::string notes(const std::string& before, std::string (*escaped)(std::string_view) = as_it_is) {
  std::string out;
  for (const char* note : kNotes) out += before + escaped(note) + "\n";
  return out;
}

TEST(SweepPage, Text) {
  EXPECT_EQ(
      page(TableFormat::text),
      "Sweep tiny\n"
      "Made by: `mha-train sweep --config tiny.json h=8,1,4 d_k=8`\n"
      "Axes: h=8,1,4 d_k=8 seed=1,2,3\n"
      "Held fixed: nothing\n"
      "Baseline: h=8,d_k=8\n"
      "\n"
      "2 cells have results, but their translations cannot be compared. Runs without a result: 1 failed, 1 out of "
      "memory.\n"
      "\n"
      "h  d_k  h*d_k   params  FLOPs/token     nll    ppl   BLEU    sd   95 % interval  vs baseline        chrF    "
      "tokens/s         memory  time  front  seeds  status\n"
      "----------------------------------------------------------------------------------------------------------------"
      "---------------------------------------------------------\n"
      "8    8     64  164,000        1.23M  1.2500  3.490  30.25  0.20  29.75 to 30.75  baseline          55.50      "
      "10,000      256.0 MiB  1:05  tpm      3/3  done\n"
      "1    8      8  108,000            -       -      -  28.50     -               -  worse (p <0.001)      -  "
      "10,000 "
      "(!)  256.0 MiB (!)     -  p        2/3  2 done, 1 failed\n"
      "4    8      -        -            -       -      -      -     -               -  -                     -        "
      " "
      "  -              -     -           0/1  out of memory\n"
      "\n"
      "Runs without a result\n"
      "cell       seed  status         reason                  log\n"
      "------------------------------------------------------------------\n"
      "h=1,d_k=8  2     failed         disk full               logs/b.log\n"
      "h=4,d_k=8  1     out of memory  killed at 4 GiB | 90 %  logs/x.log\n"
      "\n" +
          notes(""));
}

TEST(SweepPage, MarkdownStandsAlone) {
  EXPECT_EQ(
      page(TableFormat::markdown),
      "# Sweep tiny\n"
      "\n"
      "- Made by: `mha-train sweep --config tiny.json h=8,1,4 d_k=8`\n"
      "- Axes: h=8,1,4 d\\_k=8 seed=1,2,3\n"
      "- Held fixed: nothing\n"
      "- Baseline: h=8,d\\_k=8\n"
      "\n"
      "**2 cells have results, but their translations cannot be compared. Runs without a result: 1 failed, 1 out of "
      "memory.**\n"
      "\n"
      "| h | d\\_k | h\\*d\\_k | params | FLOPs/token | nll | ppl | BLEU | sd | 95 % interval | vs baseline | chrF | "
      "tokens/s | memory | time | front | seeds | status |\n"
      "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|---:|---|---:|---|\n"
      "| 8 | 8 | 64 | 164,000 | 1.23M | 1.2500 | 3.490 | 30.25 | 0.20 | 29.75 to 30.75 | baseline | 55.50 | 10,000 | "
      "256.0 MiB | 1:05 | tpm | 3/3 | done |\n"
      "| 1 | 8 | 8 | 108,000 | - | - | - | 28.50 | - | - | worse (p &lt;0.001) | - | 10,000 (!) | 256.0 MiB (!) | - | "
      "p | 2/3 | 2 done, 1 failed |\n"
      "| 4 | 8 | - | - | - | - | - | - | - | - | - | - | - | - | - |  | 0/1 | out of memory |\n"
      "\n"
      "## Runs without a result\n"
      "\n"
      "| cell | seed | status | reason | log |\n"
      "|---|---|---|---|---|\n"
      "| h=1,d\\_k=8 | 2 | failed | disk full | logs/b.log |\n"
      "| h=4,d\\_k=8 | 1 | out of memory | killed at 4 GiB \\| 90 % | logs/x.log |\n"
      "\n"
      "## What is counted\n"
      "\n" +
          notes("- ", markdown_escape));
}

TEST(SweepPage, LatexHasTheHeadLineAsCaption) {
  EXPECT_EQ(
      page(TableFormat::latex),
      "\\begin{table}\n"
      "\\centering\n"
      "\\begin{tabular}{rrrrrrrrrrlrrrrlrl}\n"
      "\\hline\n"
      "$h$ & $d_k$ & $h d_k$ & params & FLOPs/token & nll & ppl & BLEU & sd & 95 \\% interval & vs baseline & chrF & "
      "tokens/s & memory & time & front & seeds & status \\\\\n"
      "\\hline\n"
      "8 & 8 & 64 & 164,000 & 1.23M & 1.2500 & 3.490 & 30.25 & 0.20 & 29.75 to 30.75 & baseline & 55.50 & 10,000 & "
      "256.0 MiB & 1:05 & tpm & 3/3 & done \\\\\n"
      "1 & 8 & 8 & 108,000 & - & - & - & 28.50 & - & - & worse (p \\textless{}0.001) & - & 10,000 (!) & 256.0 MiB (!) "
      "& "
      "- & p & 2/3 & 2 done, 1 failed \\\\\n"
      "4 & 8 & - & - & - & - & - & - & - & - & - & - & - & - & - &  & 0/1 & out of memory \\\\\n"
      "\\hline\n"
      "\\end{tabular}\n"
      "\\caption{2 cells have results, but their translations cannot be compared. Runs without a result: 1 failed, 1 "
      "out of memory.}\n"
      "\\end{table}\n"
      "\n"
      "\\begin{table}\n"
      "\\centering\n"
      "\\begin{tabular}{lllll}\n"
      "\\hline\n"
      "cell & seed & status & reason & log \\\\\n"
      "\\hline\n"
      "h=1,d\\_k=8 & 2 & failed & disk full & logs/b.log \\\\\n"
      "h=4,d\\_k=8 & 1 & out of memory & killed at 4 GiB \\textbar{} 90 \\% & logs/x.log \\\\\n"
      "\\hline\n"
      "\\end{tabular}\n"
      "\\caption{Runs without a result}\n"
      "\\end{table}\n" +
          notes("% "));
}

TEST(SweepPage, CsvHasEveryFigureOfEveryCell) {
  const std::vector<std::string> lines = split(page(TableFormat::csv), '\n');
  ASSERT_EQ(lines.size(), 5u);  // a heading, three cells, the end of the last line
  EXPECT_EQ(
      lines[0],
      "cell,point.h,point.d_k,status,seeds,finished,shape.encoder_layers,shape.decoder_layers,shape.d_model,shape.d_ff,"
      "shape.num_heads,shape.d_k,shape.d_v,shape.heads_times_d_k,shape.dropout,shape.label_smoothing,parameters,"
      "train_flops_per_token,decode_flops_per_token,nll_loss,ppl,bleu.mean,bleu.sd,bleu.low,bleu.high,"
      "against_baseline.verdict,against_baseline.difference,against_baseline.low,against_baseline.high,"
      "against_baseline.p,against_baseline.p_holm,chrf,validation.updates,validation.ppl,validation.bleu,wps,"
      "peak_resident_bytes,wall,latency,attention_path,decode_path,measured_on,comparable,same_test,same_vocabulary,"
      "fronts");
  EXPECT_EQ(
      lines[1],
      "\"h=8,d_k=8\",8,8,done,3,3,2,2,64,128,8,8,8,64,0.1,0.1,164000,1234000.0,,1.25,3.4903,30.25,0.2,29.75,30.75,"
      "baseline,,,,,,55.5,,,,10000.0,268435456,65.0,0.002,,,\"packed attention, cpu (a processor), 2 threads, "
      "fp32\",true,true,true,tokens/s; parameters; memory");
  EXPECT_EQ(lines[3],
            "\"h=4,d_k=8\",4,8,out of memory,1,0,,,,,,,,,,,,,,,,,,,,not compared,,,,,,,,,,,,,,,,,true,true,true,");
}

TEST(SweepPage, CsvOfPhenomenaIsThatTable) {
  EXPECT_EQ(page(TableFormat::csv, true), "phenomenon,\"h=1,d_k=8\"\nnegation,0.95\n");
}

TEST(SweepPage, JsonHoldsAll) {
  const json said = parse_json(page(TableFormat::json_text), "page");
  EXPECT_EQ(said["format"], "mha-train/table");
  EXPECT_EQ(said["format_version"], 1);
  EXPECT_EQ(said["baseline"], "h=8,d_k=8");
  EXPECT_EQ(said["baseline_stands_in"], false);
  EXPECT_TRUE(said["significance"].is_null()) << "nothing was compared";
  EXPECT_THAT(said["head_line"].get<std::string>(), HasSubstr("2 cells have results"));
  ASSERT_EQ(said["cells"].size(), 3u);
  EXPECT_EQ(said["cells"][0]["fronts"], json({"tokens/s", "parameters", "memory"}));
  EXPECT_TRUE(said["cells"][1]["bleu"]["sd"].is_null());
  EXPECT_EQ(said["cells"][1]["against_baseline"]["verdict"], "worse");
  EXPECT_EQ(said["cells"][1]["phenomena"][0]["accuracy"], 0.95);
  EXPECT_EQ(said["cells"][2]["unfinished"][0]["reason"], "killed at 4 GiB | 90 %");
  EXPECT_TRUE(said["cells"][2]["shape"].is_null());
}

TEST(SweepPage, PhenomenaAreAnotherTable) {
  EXPECT_THAT(page(TableFormat::text, true), HasSubstr("\nAccuracy by phenomenon, %\n"
                                                       "phenomenon  h=1,d_k=8\n"
                                                       "---------------------\n"
                                                       "negation         95.0\n"));
  EXPECT_THAT(page(TableFormat::text), Not(HasSubstr("phenomenon")));
}

TEST(SweepPage, LikeTable3HasItsOwnRowsAndNotes) {
  const auto like = [](TableFormat format) {
    return sweep_page(sample(), {}, {.format = format, .like_table3 = true, .phenomena = false});
  };
  EXPECT_THAT(like(TableFormat::text), AllOf(HasSubstr("\nbase "), HasSubstr("(others)"), HasSubstr("PPL (dev):")));
  EXPECT_THAT(like(TableFormat::csv), HasSubstr("row,N,d_model"));
  EXPECT_EQ(parse_json(like(TableFormat::json_text), "page")["rows"].size(), 2u);
}

TEST(SweepPage, JsonLikeTable3HasPhenomenaAndReasonsToo) {
  const json said = parse_json(
      sweep_page(sample(), {}, {.format = TableFormat::json_text, .like_table3 = true, .phenomena = false}), "page");
  EXPECT_EQ(said["cells"][1]["phenomena"][0]["name"], "negation");
  EXPECT_EQ(said["cells"][2]["unfinished"][0]["reason"], "killed at 4 GiB | 90 %");
}

TEST(SweepPage, CsvOfTwoTablesIsRefused) {
  const PageOptions two = {.format = TableFormat::csv, .like_table3 = true, .phenomena = true};
  for (const auto& make : {std::function([&] { sweep_page(sample(), {}, two); }),
                           std::function([&] { sweep_page(std::filesystem::path("not looked at"), two); })}) {
    EXPECT_THAT(message_of(make), AllOf(HasSubstr("--like table3 and --phenomena"), HasSubstr("another --format")));
  }
}

/// Messages span lines, and paths hold what Markdown would take for its own.
TEST(SweepPage, NotesStayOnTheirLines) {
  SweepResults results = sample();
  results.sweep.name = "a\nname";
  SweepComparison comparison;
  comparison.problems = {"Not compared: runs/h_1*/x [y]: changed:\n  `a` <b>\n\t\\end{document}",
                         "odd: runs/`x: \x1b[31mgone"};
  const auto made = [&](TableFormat format) { return sweep_page(results, comparison, {.format = format}); };
  EXPECT_THAT(made(TableFormat::text),
              AllOf(HasSubstr("Sweep a name\n"), HasSubstr("\nNot compared: runs/h_1*/x [y]: changed: `a` <b> "
                                                           "\\end{document}\nodd: runs/`x: [31mgone\n")));
  EXPECT_THAT(made(TableFormat::latex), HasSubstr("\n% Not compared: runs/h_1*/x [y]: changed: `a` <b> "
                                                  "\\end{document}\n% odd: runs/`x: [31mgone\n"));
  EXPECT_THAT(made(TableFormat::markdown),
              AllOf(HasSubstr("# Sweep a name\n"),
                    HasSubstr("\n- Not compared: runs/h\\_1\\*/x \\[y]: changed: `a` &lt;b> \\\\end{document}\n"
                              "- odd: runs/\\`x: \\[31mgone\n")));
  EXPECT_EQ(parse_json(made(TableFormat::json_text), "page")["notes"].back(), "odd: runs/`x: [31mgone");
}

TEST(SweepPage, OtherAxesHaveColumns) {
  SweepResults results = results_of({finished_cell(8, 8, 30), finished_cell(4, 8, 31)});
  results.cells[1].point["model.dropout"] = 0.25;
  const std::string text = sweep_page(results, {}, {});
  EXPECT_THAT(text, HasSubstr("h*d_k  model.dropout   params"));
  EXPECT_THAT(text, HasSubstr("32           0.25  132,000"));
  const std::string csv = sweep_page(results, {}, {.format = TableFormat::csv});
  EXPECT_THAT(csv, HasSubstr("cell,point.h,point.d_k,point.model.dropout,status"));
}

TEST(SweepPage, BleuOfAnotherKindIsMarked) {
  SweepResults results = results_of({finished_cell(8, 8, 30), finished_cell(4, 8, 31)});
  results.cells[1].same_test = false;
  EXPECT_THAT(sweep_page(results, {}, {}), AllOf(HasSubstr(" 31.00 (!) "), HasSubstr("(!) BLEU on other test data")));
}

TEST(SweepPage, CellsWithNamesOfTheirOwnAreNamed) {
  SweepResults results = results_of({finished_cell(8, 8, 30), finished_cell(4, 8, 31)});
  EXPECT_THAT(sweep_page(results, {}, {}), Not(HasSubstr("\ncell ")));
  results.cells[1].cell = "small";
  EXPECT_THAT(sweep_page(results, {}, {}), AllOf(HasSubstr("\ncell       h "), HasSubstr("\nsmall      4 ")));
}

/// From a folder to the page, with what depends on runs: notes, head line, verdicts.
TEST(SweepPage, OfASweepOnDisk) {
  SweepFolder folder;
  for (const std::size_t seed : {0, 1, 2}) {
    folder.done(8, 8, static_cast<std::int64_t>(seed), 12, 12 * seed);
    folder.done(1, 8, static_cast<std::int64_t>(seed), 2, 2 * seed);
  }
  SweepRun& excluded = folder.plan(64, 64, 0);
  excluded.status = SweepRunStatus::excluded;
  excluded.reason = "needs 9 GiB";
  SweepResults results = folder.collect();
  mark_fronts(results.cells);
  const SweepComparison comparison = compare_with_baseline(results);
  const std::string text = sweep_page(results, comparison, {});
  EXPECT_THAT(text,
              AllOf(HasSubstr("h=8,d_k=8 is better than h=1,d_k=8 at 3 seeds. Runs without a result: 1 excluded."),
                    HasSubstr("worse (p "), HasSubstr("needs 9 GiB"),
                    HasSubstr("Test split: 60 sentences, the best weights, beam 5, lenpen 1.0. BLEU: nrefs:1|"),
                    HasSubstr("p after Holm over 1 comparison, 1,000 resamples of 60 sentences")));
  const json said = parse_json(sweep_page(results, comparison, {.format = TableFormat::json_text}), "page");
  EXPECT_EQ(said["significance"]["method"], "hierarchical");
}

TEST(SweepPage, OfASweepWithoutCells) {
  for (const TableFormat format :
       {TableFormat::text, TableFormat::markdown, TableFormat::latex, TableFormat::csv, TableFormat::json_text}) {
    for (const bool like_table3 : {false, true}) {
      EXPECT_NO_THROW(
          sweep_page(results_of({}), {}, {.format = format, .like_table3 = like_table3, .phenomena = !like_table3}));
    }
  }
}

}  // namespace
}  // namespace mha
