#include "analysis/sweep_notes.h"

#include <algorithm>
#include <set>

#include "analysis/sweep_figures.h"
#include "base/text.h"

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
  if (!results.cells.empty()) lines.push_back("Baseline: " + results.cells[results.baseline].cell);
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
  for (const CellResult& cell : results.cells) {
    if (!cell.same_test) notes.push_back("(!) BLEU on other test data, or counted in another way: " + cell.cell + ".");
    if (!cell.comparable)
      notes.push_back("(!) not comparable in speed and memory: " + cell.cell + ", " + cell.measured_on + ".");
  }
  notes.emplace_back("front: on the Pareto front of BLEU against tokens/s (t), parameters (p), memory (m).");
  notes.insert(notes.end(), comparison.problems.begin(), comparison.problems.end());
  return notes;
}

}  // namespace mha
