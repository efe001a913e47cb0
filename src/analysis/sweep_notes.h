#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/sweep_comparison.h"
#include "analysis/sweep_results.h"
#include "base/text.h"

namespace mha {

/// What was swept: the command line if it is known, axes, what is held fixed, the baseline. A line each.
std::vector<std::string> sweep_description(const SweepResults& results);

/// What the columns of sweep_table count, and how cells were compared. A line each.
std::vector<std::string> sweep_notes(const SweepResults& results, const SweepComparison& comparison);

/// The different texts that `text` gives for the tests of finished runs, "a or b".
template <class F>
std::string texts_of_tests(const SweepResults& results, F text) {
  std::set<std::string> all;
  for (const CellResult& cell : results.cells) {
    for (const FinishedRun& run : cell.runs) {
      if (run.report.test) all.insert(text(*run.report.test));
    }
  }
  return join(std::vector<std::string>(all.begin(), all.end()), " or ");
}

}  // namespace mha
