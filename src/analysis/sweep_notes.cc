#include "analysis/sweep_notes.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/sweep_figures.h"
#include "base/text.h"
#include "config/sweep_config.h"

namespace mha {
namespace {

std::string search_text(const TestReport& test) {
  return "beam " + text_at(test.decode, "beam") + ", lenpen " + text_at(test.decode, "lenpen");
}

std::string comparison_note(const SweepResults& results, const SweepComparison& comparison) {
  const GridSignificance& grid = *comparison.grid;
  std::string how = "by a paired bootstrap over test sentences; the variance between trainings is not known";
  if (grid.method == SignificanceMethod::hierarchical) {
    how = "by a bootstrap over test sentences and the variance between seeds, " +
          (comparison.unsteady.empty() ? "pooled over the cells"
                                       : "of the two cells alone: the seeds of " + comparison.unsteady +
                                             " differ far more than those of the others");
  }
  return "vs baseline: mean BLEU against " + results.cells[results.baseline].cell + ", " + how +
         "; p after Holm over " + counted(static_cast<std::int64_t>(grid.compared), "comparison") + ", " +
         format_count(static_cast<std::int64_t>(grid.resamples)) + " resamples of " +
         counted(static_cast<std::int64_t>(grid.sentences), "sentence") + "; `better` and `worse` at 5 %.";
}

/// Seeds whose test was scored, but not with a number; their report has null there.
std::string seeds_without_score(const CellResult& cell) {
  std::vector<std::string> seeds;
  for (const FinishedRun& run : cell.runs) {
    const auto& test = run.report.test;
    const bool scored = test && std::isfinite(test->nll_loss) && test->bleu.is_object() &&
                        test->bleu.value("score", json(nullptr)).is_number();
    if (test && !scored) seeds.push_back(std::to_string(run.seed));
  }
  return join(seeds, ", ");
}

/// How far the cells are from the baseline in what is held, where that cannot be met exactly.
std::string held_note(const SweepResults& results) {
  const bool params = results.sweep.hold == to_string(Hold::params);
  if ((!params && results.sweep.hold != to_string(Hold::flops)) || results.cells.empty()) return "";
  const auto held = [&](const CellResult& cell) {
    if (!params) return cell.train_flops_per_token;
    return cell.parameters ? static_cast<double>(*cell.parameters) : kUnknown;
  };
  const CellResult& baseline = results.cells[results.baseline];
  std::vector<std::string> cells;
  for (const CellResult& cell : results.cells) {
    const double off = held(cell) / held(baseline) - 1;
    if (&cell == &baseline || !std::isfinite(off)) continue;
    cells.push_back(cell.cell + " " + (off < 0 ? "" : "+") + format_fixed(100 * off, 2) + " %");
  }
  if (cells.empty()) return "";
  return results.sweep.hold + " are held by d_ff; off those of " + baseline.cell + ": " + join(cells, ", ") + ".";
}

/// Results of different programs can differ for that alone.
std::string versions_note(const SweepResults& results) {
  std::set<std::string> versions;
  for (const CellResult& cell : results.cells) {
    for (const FinishedRun& run : cell.runs) {
      const Provenance& made = run.report.provenance;
      versions.insert(made.version + " (" + made.commit + ")");
    }
  }
  if (versions.size() < 2) return "";
  return "The runs are of different builds of the program: " +
         join(std::vector<std::string>(versions.begin(), versions.end()), ", ") + ".";
}

}  // namespace

std::vector<std::string> sweep_description(const SweepResults& results) {
  const SweepFile& sweep = results.sweep;
  std::vector<std::string> lines;
  if (!sweep.command.empty()) lines.push_back("Made by: `" + sweep.command + "`");
  std::vector<std::string> axes;
  for (const auto& [axis, values] : sweep.axes.items()) {
    std::vector<std::string> texts;
    for (const json& value : values) texts.push_back(axis_text(value));
    axes.push_back(axis + "=" + join(texts, ","));
  }
  if (!axes.empty()) lines.push_back("Axes: " + join(axes, " "));
  lines.push_back("Held fixed: " + (sweep.hold.empty() ? "nothing" : sweep.hold));
  if (!results.cells.empty()) {
    const bool stands_in = results.baseline_stands_in && !sweep.baseline.empty();
    lines.push_back("Baseline: " + results.cells[results.baseline].cell +
                    (stands_in ? ", in place of " + sweep.baseline + ", which has no result" : ""));
  }
  return lines;
}

std::vector<std::string> sweep_notes(const SweepResults& results, const SweepComparison& comparison) {
  std::vector<std::string> notes;
  const std::string signature =
      texts_of_tests(results, [](const TestReport& t) { return text_at(t.bleu, "signature"); });
  if (!signature.empty()) {
    notes.push_back(
        "Test split: " + texts_of_tests(results, [](const TestReport& t) { return counted(t.sentences, "sentence"); }) +
        ", the " + texts_of_tests(results, [](const TestReport& t) { return t.weights; }) + " weights, " +
        texts_of_tests(results, search_text) + ". BLEU: " + signature +
        "; mean, standard deviation and 95 % interval of the mean (Student's t) over seeds.");
  }
  if (comparison.grid && comparison.grid->compared > 0) notes.push_back(comparison_note(results, comparison));
  notes.emplace_back(
      "nll: natural logarithms per target subword, EOS counted, without label smoothing, mean over seeds; "
      "ppl = exp(nll).");
  notes.emplace_back(
      "params: trained parameters, a shared matrix once. FLOPs/token: matrix products of training, forward "
      "and backward, per target token, as planned.");
  std::string measured =
      "tokens/s: target subwords, EOS counted, over training time alone. memory: most resident in any "
      "process of the cell. time: wall time of a run, test included.";
  const auto usual =
      std::ranges::find_if(results.cells, [](const CellResult& cell) { return cell.finished > 0 && cell.comparable; });
  if (usual != results.cells.end()) measured += " All of runs on: " + usual->measured_on + ".";
  notes.push_back(measured);
  for (const std::string& note : {held_note(results), versions_note(results)}) {
    if (!note.empty()) notes.push_back(note);
  }
  for (const CellResult& cell : results.cells) {
    if (!cell.same_vocabulary)
      notes.push_back(
          "(!) other subwords than the baseline's, so nll, ppl and tokens/s cannot be compared: " + cell.cell + ".");
    if (!cell.same_training_data) notes.push_back("Trained on other pairs than the baseline: " + cell.cell + ".");
    if (const std::string seeds = seeds_without_score(cell); !seeds.empty())
      notes.push_back("No BLEU or no finite loss at seed " + seeds + ", so there is no mean of that: " + cell.cell +
                      ".");
    if (!cell.same_test) notes.push_back("(!) BLEU on other test data, or counted in another way: " + cell.cell + ".");
    if (!cell.comparable)
      notes.push_back("(!) not comparable in speed and memory: " + cell.cell + ", " + cell.measured_on + ".");
  }
  notes.emplace_back("front: on the Pareto front of BLEU against tokens/s (t), parameters (p), memory (m).");
  notes.insert(notes.end(), comparison.problems.begin(), comparison.problems.end());
  return notes;
}

}  // namespace mha
