#include "analysis/sweep_results.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "analysis/cell_shape.h"
#include "analysis/sweep_figures.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "config/fields.h"
#include "metrics/significance.h"
#include "report/run_folder.h"

namespace mha {
namespace {

constexpr const char* kSweepFileName = "sweep.json";

/// A figure of each of a cell's finished runs; none if one of them does not have it: a mean over the others would be of
/// fewer seeds than the table says.
template <class F>
std::vector<double> known(const std::vector<FinishedRun>& runs, F figure) {
  std::vector<double> values;
  for (const FinishedRun& run : runs) values.push_back(figure(run.report));
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) values.clear();
  return values;
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return kUnknown;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double score_of(const json& score) {
  const bool is_known = score.is_object() && score.contains("score") && score["score"].is_number();
  return is_known ? score["score"].get<double>() : kUnknown;
}

double test_figure(const RunReport& report, double TestReport::*member) {
  return report.test ? (*report.test).*member : kUnknown;
}

/// The validation whose weights count: the best, or the last where none is.
const ValidationPoint* counting_validation(const RunReport& report) {
  const auto& points = report.training.validations;
  if (points.empty()) return nullptr;
  const auto is_best = [&](const ValidationPoint& point) {
    return report.training.best && point.num_updates == report.training.best->num_updates;
  };
  const auto best = std::ranges::find_if(points, is_best);
  return best == points.end() ? &points.back() : &*best;
}

/// The different texts that `texts` gives for runs, empty ones left out.
template <class F>
std::string texts_of(const std::vector<FinishedRun>& runs, F texts, std::string_view separator = " and ") {
  std::set<std::string> all;
  for (const FinishedRun& run : runs) {
    for (const std::string& text : texts(run.report)) {
      if (!text.empty()) all.insert(text);
    }
  }
  return join(std::vector<std::string>(all.begin(), all.end()), separator);
}

std::vector<std::string> attention_paths(const RunReport& report) {
  std::vector<std::string> paths;
  for (const AttentionReport& block : report.attention) paths.push_back(block.path);
  return paths;
}

/// What must be equal where BLEU is to be compared: how it counts, and the references (older reports: their files).
std::string scoring(const RunReport& report) {
  if (!report.test) return "";
  const TestReport& test = *report.test;
  const json data = report.config.value("data", json::object());
  return text_at(test.bleu, "signature") + " " +
         (test.reference_hash.empty() ? text_at(data, "test") : test.reference_hash);
}

std::string training_hash(const RunReport& report) {
  const auto found = report.data.find("train");
  return found == report.data.end() ? "" : found->second.hash;
}

/// "packed attention, cpu (AMD EPYC), 2 threads, bf16": equal where speed and memory can be compared.
std::string conditions(const RunReport& report) {
  const Provenance& made = report.provenance;
  std::set<std::string> paths;
  for (const std::string& path : attention_paths(report)) paths.insert(path.empty() ? "unknown" : path);
  return join(std::vector<std::string>(paths.begin(), paths.end()), " and ") + " attention, " + made.device + " (" +
         made.processor + "), " + counted(made.threads, "thread") + ", " + made.precision;
}

void add_test_figures(CellResult& cell) {
  cell.nll_loss = mean(known(cell.runs, [](const RunReport& r) { return test_figure(r, &TestReport::nll_loss); }));
  cell.ppl = std::exp(cell.nll_loss);
  cell.chrf = mean(known(cell.runs, [](const RunReport& r) { return r.test ? score_of(r.test->chrf) : kUnknown; }));
  const auto bleu = known(cell.runs, [](const RunReport& r) { return r.test ? score_of(r.test->bleu) : kUnknown; });
  if (bleu.empty()) return;
  const SeedSummary summary = summarize_seeds(bleu);
  cell.bleu.mean = summary.mean;
  cell.bleu.sd = summary.deviation.value_or(kUnknown);
  if (summary.interval) {
    cell.bleu.low = summary.interval->low;
    cell.bleu.high = summary.interval->high;
  }
}

void add_validation_figures(CellResult& cell) {
  const auto of_point = [](auto figure) {
    return [figure](const RunReport& report) {
      const ValidationPoint* point = counting_validation(report);
      return point ? figure(*point) : kUnknown;
    };
  };
  cell.validation.updates =
      mean(known(cell.runs, [](const RunReport& r) { return static_cast<double>(r.training.num_updates); }));
  cell.validation.ppl =
      std::exp(mean(known(cell.runs, of_point([](const ValidationPoint& point) { return point.nll_loss; }))));
  cell.validation.bleu =
      mean(known(cell.runs, of_point([](const ValidationPoint& point) { return point.bleu.value_or(kUnknown); })));
}

/// Speed, memory and times of the runs that were measured on `usual`; of all, if none was.
void add_cost_figures(const std::string& usual, CellResult& cell) {
  std::vector<FinishedRun> runs;
  std::ranges::copy_if(cell.runs, std::back_inserter(runs),
                       [&](const FinishedRun& run) { return conditions(run.report) == usual; });
  cell.comparable = !runs.empty();
  if (!cell.comparable) runs = cell.runs;
  cell.wps = mean(known(runs, [](const RunReport& r) { return r.throughput.wps; }));
  cell.wall = mean(known(runs, [](const RunReport& r) { return r.throughput.seconds.total; }));
  cell.latency = mean(known(runs, [](const RunReport& r) {
    const double sentences = r.test ? static_cast<double>(r.test->sentences) : 0;
    return sentences > 0 ? r.test->decode_seconds / sentences : kUnknown;
  }));
  std::int64_t peak = 0;
  for (const FinishedRun& run : runs) peak = std::max(peak, run.report.memory.peak_resident_bytes);
  if (peak > 0) cell.peak_resident_bytes = peak;
  cell.measured_on = texts_of(
      runs, [](const RunReport& r) { return std::vector{conditions(r)}; }, "; ");
}

/// What most of the finished runs were measured on; of equally many, what comes first in the plan. A sweep that tries
/// out how many runs at once are fastest gives its first ones other numbers of threads.
std::string usual_conditions(const std::vector<CellResult>& cells) {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  for (const CellResult& cell : cells) {
    for (const FinishedRun& run : cell.runs) {
      const std::string on = conditions(run.report);
      const auto found = std::ranges::find(counts, on, &std::pair<std::string, std::int64_t>::first);
      if (found == counts.end()) {
        counts.emplace_back(on, 1);
      } else {
        ++found->second;
      }
    }
  }
  const auto most = std::ranges::max_element(counts, {}, &std::pair<std::string, std::int64_t>::second);
  return most == counts.end() ? "" : most->first;
}

void add_phenomena(CellResult& cell) {
  std::map<std::string, CellPhenomenon> by_name;
  for (const FinishedRun& run : cell.runs) {
    for (const PhenomenonReport& report : run.report.phenomena) {
      CellPhenomenon& sum = by_name[report.name];
      sum.n += report.n;
      sum.correct += report.correct;
    }
  }
  for (auto& [name, sum] : by_name) {
    sum.name = name;
    if (sum.n > 0) sum.accuracy = static_cast<double>(sum.correct) / static_cast<double>(sum.n);
    cell.phenomena.push_back(sum);
  }
}

/// "done", "pending", or "2 done, 1 failed" in the order in which the plan has them.
std::string status_text(const CellResult& cell) {
  using Count = std::pair<std::string, std::int64_t>;
  std::vector<Count> counts;
  if (cell.finished > 0) counts.emplace_back(words_of(SweepRunStatus::done), cell.finished);
  for (const UnfinishedRun& run : cell.unfinished) {
    const auto found = std::ranges::find(counts, words_of(run.status), &Count::first);
    if (found == counts.end()) {
      counts.emplace_back(words_of(run.status), 1);
    } else {
      ++found->second;
    }
  }
  std::vector<std::string> parts;
  for (const auto& [status, count] : counts) {
    parts.push_back(counts.size() == 1 ? status : std::to_string(count) + " " + status);
  }
  return join(parts, ", ");
}

/// Whether the run may have a result: sweep.json says so, or has not heard of it, as where something else than the
/// sweep started it, or the sweep was killed.
bool may_be_finished(SweepRunStatus status) {
  return status != SweepRunStatus::invalid && status != SweepRunStatus::excluded;
}

/// Takes a run into its cell: among the finished ones if it has a report that says so.
void add_run(const SweepRun& run, const std::filesystem::path& folder, CellResult& cell) {
  const bool has_log = may_be_finished(run.status) && run.status != SweepRunStatus::pending;
  UnfinishedRun unfinished{run.seed, run.status, run.reason, has_log ? run.log : ""};
  const bool done = run.status == SweepRunStatus::done;
  const RunFolder run_folder(folder / run.run_dir);
  ++cell.seeds;
  if (done || (may_be_finished(run.status) && std::filesystem::exists(run_folder.report()))) {
    try {
      FinishedRun finished{run.seed, run_folder.root(), read_report(run_folder.report())};
      if (finished.report.status == RunStatus::completed) {
        cell.runs.push_back(std::move(finished));
        return;
      }
      if (done) unfinished.reason = "done, but its report says: " + to_string(finished.report.status);
    } catch (const UserError& error) {
      if (done) unfinished.reason = std::string("done, but its report cannot be read: ") + error.what();
    }
    if (done) unfinished.status = SweepRunStatus::failed;
  }
  cell.unfinished.push_back(std::move(unfinished));
}

void finish_cell(CellResult& cell) {
  cell.finished = std::ssize(cell.runs);
  cell.status = status_text(cell);
  if (!cell.runs.empty()) cell.config = cell.runs[0].report.config;
  cell.shape = shape_of(cell.config);
  if (cell.runs.empty()) return;
  cell.parameters = cell.runs[0].report.parameters.num_params;
  cell.attention_path = texts_of(cell.runs, attention_paths);
  cell.vocabulary = texts_of(cell.runs, [](const RunReport& r) { return std::vector{r.vocabulary.target_hash}; });
  cell.trained_on = texts_of(cell.runs, [](const RunReport& r) { return std::vector{training_hash(r)}; });
  cell.decode_path =
      texts_of(cell.runs, [](const RunReport& r) { return std::vector{r.test ? r.test->decode_path : ""}; });
  cell.scored_as = texts_of(
      cell.runs, [](const RunReport& r) { return std::vector{scoring(r)}; }, "; ");
  add_test_figures(cell);
  add_validation_figures(cell);
  add_phenomena(cell);
}

/// The planned baseline or, if that has no result, the first cell that has.
void choose_baseline(SweepResults& results) {
  const auto is_planned = [&](const CellResult& cell) { return cell.cell == results.sweep.baseline; };
  const auto has_result = [](const CellResult& cell) { return cell.finished > 0; };
  auto chosen = std::ranges::find_if(results.cells, is_planned);
  if (chosen == results.cells.end() || !has_result(*chosen)) {
    const auto first = std::ranges::find_if(results.cells, has_result);
    results.baseline_stands_in = first != results.cells.end();
    if (results.baseline_stands_in || chosen == results.cells.end()) chosen = first;
  }
  if (chosen != results.cells.end()) results.baseline = static_cast<std::size_t>(chosen - results.cells.begin());
}

/// Equal, or one of them not known, as in reports of older versions.
bool agree(const std::string& a, const std::string& b) { return a.empty() || b.empty() || a == b; }

}  // namespace

SweepResults collect_sweep(const std::filesystem::path& folder) {
  if (!std::filesystem::is_regular_file(folder / kSweepFileName)) {
    throw UserError(folder.string() + " has no " + kSweepFileName +
                    ": give the folder that `mha-train sweep` made (its option --out)");
  }
  SweepResults results{.sweep = read_sweep(folder / kSweepFileName), .cells = {}};
  for (const SweepRun& run : results.sweep.runs) {
    if (run.status == SweepRunStatus::excluded && run.reason == kNotInGrid) continue;
    auto cell = std::ranges::find(results.cells, run.cell, &CellResult::cell);
    if (cell == results.cells.end()) {
      cell = results.cells.insert(results.cells.end(), CellResult());
      cell->cell = run.cell;
      cell->point = run.point;
      cell->config = planned_config(folder, results.sweep, run);
    }
    if (!cell->parameters && run.cost.parameters > 0) cell->parameters = run.cost.parameters;
    cell->train_flops_per_token = run.cost.train_flops_per_token;
    cell->decode_flops_per_token = run.cost.decode_flops_per_token;
    add_run(run, folder, *cell);
  }
  for (CellResult& cell : results.cells) finish_cell(cell);
  choose_baseline(results);
  const std::string usual = usual_conditions(results.cells);
  for (CellResult& cell : results.cells) {
    if (cell.finished == 0) continue;
    add_cost_figures(usual, cell);
    const CellResult& baseline = results.cells[results.baseline];
    cell.same_test = cell.scored_as == baseline.scored_as;
    cell.same_vocabulary = agree(cell.vocabulary, baseline.vocabulary);
    cell.same_training_data = !cell.same_vocabulary || agree(cell.trained_on, baseline.trained_on);
  }
  return results;
}

}  // namespace mha
