#pragma once

#include <string>
#include <vector>

#include "analysis/sweep_figures.h"
#include "analysis/sweep_results.h"
#include "base/text.h"
#include "config/config.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "report/run_report.h"
#include "report/sweep_file.h"
#include "support/temporary_folder.h"

namespace mha::testing {

inline std::string cell_name(std::int64_t h, std::int64_t d_k) {
  return "h=" + std::to_string(h) + ",d_k=" + std::to_string(d_k);
}

/// A finished cell as collect_sweep would give it, without its runs.
inline CellResult finished_cell(std::int64_t h, std::int64_t d_k, double bleu, std::int64_t seeds = 3) {
  CellResult cell;
  cell.cell = cell_name(h, d_k);
  cell.point = {{"h", h}, {"d_k", d_k}};
  cell.status = "done";
  cell.seeds = cell.finished = seeds;
  cell.shape.emplace();
  cell.shape->encoder_layers = cell.shape->decoder_layers = 2;
  cell.shape->d_model = 64;
  cell.shape->d_ff = 128;
  cell.shape->num_heads = h;
  cell.shape->d_k = cell.shape->d_v = d_k;
  cell.shape->heads_times_d_k = h * d_k;
  cell.shape->dropout = 0.1;
  cell.shape->label_smoothing = 0.1;
  cell.parameters = 100000 + 1000 * h * d_k;
  cell.bleu.mean = bleu;
  cell.wps = 10000;
  cell.peak_resident_bytes = std::int64_t{1} << 28;
  cell.latency = 0.002;
  cell.measured_on = "packed attention, cpu (a processor), 2 threads, fp32";
  cell.config = config_to_json({});
  return cell;
}

inline CellResult failed_cell(std::int64_t h, std::int64_t d_k, SweepRunStatus status, const std::string& reason) {
  CellResult cell;
  cell.cell = cell_name(h, d_k);
  cell.point = {{"h", h}, {"d_k", d_k}};
  cell.status = words_of(status);
  cell.seeds = 1;
  cell.unfinished = {{.seed = 1, .status = status, .reason = reason, .log = "logs/x.log"}};
  return cell;
}

inline SweepResults results_of(std::vector<CellResult> cells) {
  SweepResults results;
  results.sweep.name = "tiny";
  results.sweep.hold = "nothing";
  if (!cells.empty()) results.sweep.baseline = cells[0].cell;
  results.cells = std::move(cells);
  return results;
}

/// A sweep on disk: every run translates the same 60 lines and gets some of them wrong.
class SweepFolder {
 public:
  SweepFolder() {
    for (int i = 0; i < 60; ++i) {
      references_.push_back("the line " + std::to_string(i) + " says that all is well with number " +
                            std::to_string(i * i));
    }
    folder_.write("test.en", text_of(references_));
    folder_.write("test.de", text_of(references_));
    sweep.name = "tiny";
    sweep.hold = "nothing";
    sweep.base = config_to_json({});
  }

  /// A run planned for a cell, pending.
  SweepRun& plan(std::int64_t h, std::int64_t d_k, std::int64_t seed) {
    SweepRun run;
    run.cell = cell_name(h, d_k);
    run.point = {{"h", h}, {"d_k", d_k}};
    run.seed = seed;
    run.run_dir = "runs/" + run.cell + "-" + std::to_string(seed);
    run.log = "logs/" + run.cell + "-" + std::to_string(seed) + ".log";
    run.cost.parameters = 1000 * h * d_k;
    run.cost.train_flops_per_token = 1.25e6;
    if (sweep.baseline.empty()) sweep.baseline = run.cell;
    sweep.runs.push_back(run);
    return sweep.runs.back();
  }

  /// The report of a run that gets every `wrong_every`th line wrong, from line `first` on. Its translations are
  /// written.
  RunReport report(const SweepRun& run, std::size_t wrong_every, std::size_t first = 0) const {
    std::vector<std::string> hypotheses = references_;
    for (std::size_t i = first; i < hypotheses.size(); i += wrong_every) hypotheses[i] = "nothing of it";
    folder_.write(run.run_dir + "/hypotheses/test.txt", text_of(hypotheses));
    RunConfig config;
    config.seed = run.seed;
    config.run_dir = run.run_dir;
    config.threads = 1;
    config.attention.num_heads = run.point.at("h").get<std::int64_t>();
    config.attention.d_k = ValueOrWord<std::int64_t>::of(run.point.at("d_k").get<std::int64_t>());
    config.train.max_update = 2000;
    config.data.train.source = {(folder_ / "test.en").string()};
    config.data.train.target = {(folder_ / "test.de").string()};
    config.data.test.source = {(folder_ / "test.en").string()};
    config.data.test.target = {(folder_ / "test.de").string()};
    RunReport r;
    r.status = RunStatus::completed;
    r.config = config_to_json(config);
    r.provenance.processor = "a processor";
    r.provenance.device = "cpu";
    r.provenance.precision = "fp32";
    r.provenance.threads = 2;
    r.parameters.num_params = 5000 + run.seed;
    r.attention.push_back(
        {.place = "cross", .kind = "scaled_dot", .path = "packed", .attention_dropout_kind = "element"});
    r.training.num_updates = 2000;
    r.training.validations = {{.num_updates = 1000, .nll_loss = 1.5, .bleu = 20.0},
                              {.num_updates = 2000, .nll_loss = 2}};
    r.training.best = BestPoint{"nll_loss", 1.5, 1000};
    r.test.emplace();
    r.test->weights = "best";
    r.test->sentences = 60;
    r.test->nll_loss = 1.0 + static_cast<double>(run.seed);
    r.test->bleu = corpus_bleu(hypotheses, {references_}).to_json();
    r.test->chrf = corpus_chrf(hypotheses, {references_}).to_json();
    r.test->decode = {{"beam", 5}, {"lenpen", 1.0}};
    r.test->decode_path = "packed";
    r.test->decode_seconds = 0.6;
    r.test->hypotheses = "hypotheses/test.txt";
    r.throughput.wps = 10000;
    r.throughput.seconds.total = 100;
    r.memory.peak_resident_bytes = 1000000 * run.seed;
    return r;
  }

  /// A run that is done.
  SweepRun& done(std::int64_t h, std::int64_t d_k, std::int64_t seed, std::size_t wrong_every, std::size_t first = 0) {
    SweepRun& run = plan(h, d_k, seed);
    run.status = SweepRunStatus::done;
    write(run, report(run, wrong_every, first));
    return run;
  }

  void write(const SweepRun& run, const RunReport& report) const {
    folder_.write(run.run_dir + "/report.json", dump_json(report_to_json(report)));
  }

  SweepResults collect() const {
    write_sweep(sweep, folder_ / "sweep.json");
    return collect_sweep(folder_.path());
  }

  const TemporaryFolder& folder() const { return folder_; }
  static std::string text_of(const std::vector<std::string>& lines) { return join(lines, "\n") + "\n"; }

  SweepFile sweep;

 private:
  TemporaryFolder folder_;
  std::vector<std::string> references_;
};

}  // namespace mha::testing
