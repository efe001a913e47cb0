#include "analysis/head_line.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/sweep_figures.h"
#include "base/text.h"

namespace mha {
namespace {

/// Below this two scores differ by the rounding of their sums only.
constexpr double kSameBleu = 1e-9;

/// "2 failed, 1 pending" of the runs that have no result; empty if all have.
std::string unfinished_text(const SweepResults& results) {
  std::map<SweepRunStatus, std::int64_t> counts;
  for (const CellResult& cell : results.cells) {
    for (const UnfinishedRun& run : cell.unfinished) ++counts[run.status];
  }
  std::vector<std::string> parts;
  for (const auto& [status, count] : counts) parts.push_back(std::to_string(count) + " " + words_of(status));
  return join(parts, ", ");
}

std::vector<const CellResult*> with_verdict(const SweepResults& results, CellVerdict verdict) {
  std::vector<const CellResult*> cells;
  for (const CellResult& cell : results.cells) {
    if (cell.against_baseline.verdict == verdict) cells.push_back(&cell);
  }
  return cells;
}

std::string signed_text(double difference) { return (difference < 0 ? "" : "+") + format_fixed(difference, 2); }

/// "h=8,d_k=64 is better than h=1,d_k=64 (+1.20 BLEU)" or "3 cells are worse than …, h=1,d_k=8 the most (-2.10 BLEU)".
std::string verdict_clause(std::vector<const CellResult*> cells, const std::string& word, const std::string& baseline) {
  const auto size = [](const CellResult* cell) { return std::abs(cell->against_baseline.difference); };
  const CellResult* most = *std::ranges::max_element(cells, {}, size);
  const std::string by = " (" + signed_text(most->against_baseline.difference) + " BLEU)";
  if (cells.size() == 1) return most->cell + " is " + word + " than " + baseline + by;
  return std::to_string(cells.size()) + " cells are " + word + " than " + baseline + ", " + most->cell + " the most" +
         by;
}

/// How many seeds the compared cells have.
struct SeedRange {
  std::int64_t fewest = 0, most = 0;
};
SeedRange seeds_of(const GridSignificance& grid) {
  SeedRange range;
  for (const CellSignificance& cell : grid.cells) {
    const std::int64_t seeds = std::ssize(cell.scores);
    if (seeds == 0) continue;
    range.fewest = range.fewest == 0 ? seeds : std::min(range.fewest, seeds);
    range.most = std::max(range.most, seeds);
  }
  return range;
}

/// "at 3 seeds" or "at 2 to 3 seeds".
std::string seeds_text(const GridSignificance& grid) {
  const auto [fewest, most] = seeds_of(grid);
  return "at " + (fewest < most ? std::to_string(fewest) + " to " : "") + counted(most, "seed");
}

std::string baseline_name(const SweepResults& results) {
  const std::string& name = results.cells[results.baseline].cell;
  return results.baseline_stands_in && !results.sweep.baseline.empty()
             ? name + " (in place of the baseline " + results.sweep.baseline + ", which has no result)"
             : name;
}

/// What it would take to tell small differences.
std::string needed_clause(const GridSignificance& grid) {
  const SeedsNeeded& needed = grid.seeds_needed;
  const std::string difference = format_fixed(needed.difference, 1) + " BLEU";
  if (!needed.seed_deviation) {
    return "with one seed a cell nobody knows how far another training would differ: train at least 2 seeds";
  }
  if (needed.seeds && *needed.seed_deviation < kSameBleu) {
    return "the seeds of each cell score the same, so how many would settle " + difference + " is not known";
  }
  if (needed.seeds) {
    const std::string count = "about " + counted(*needed.seeds, "seed");
    if (*needed.seeds > seeds_of(grid).fewest) return count + " would settle " + difference;
    // There are as many, and yet cells cannot be told: the number is for one pair and not for every case.
    return count + " find " + difference + " between one pair in " + format_fixed(100 * needed.power, 0) +
           " % of cases" + (grid.compared > 1 ? ", among several in fewer" : "");
  }
  std::string out = "no number of seeds settles " + difference + " on these " +
                    format_count(static_cast<std::int64_t>(grid.sentences)) + " test sentences";
  if (needed.smallest_difference) out += ", at best " + format_fixed(*needed.smallest_difference, 1) + " BLEU";
  return out;
}

/// The sentence on cells that were compared with the baseline.
std::string comparison_text(const SweepResults& results, const GridSignificance& grid) {
  const std::string baseline = results.cells[results.baseline].cell;
  const auto better = with_verdict(results, CellVerdict::better), worse = with_verdict(results, CellVerdict::worse),
             untold = with_verdict(results, CellVerdict::cannot_tell);
  std::string named = baseline_name(results);  // in full at its first place only
  const auto name = [&] { return std::exchange(named, baseline); };
  std::vector<std::string> clauses;
  if (untold.size() == 1)
    clauses.push_back(name() + " and " + untold[0]->cell + " cannot be told apart " + seeds_text(grid));
  if (untold.size() > 1) {
    clauses.push_back(name() + " and " + counted(std::ssize(untold), "other") + " cannot be told apart " +
                      seeds_text(grid));
  }
  if (untold.empty() && better.empty()) {
    const std::string others =
        worse.size() == 1 ? worse[0]->cell : "all " + counted(std::ssize(worse), "other") + " compared";
    clauses.push_back(name() + " is better than " + others + " " + seeds_text(grid));
  } else {
    if (!better.empty()) clauses.push_back(verdict_clause(better, "better", name()));
    if (!worse.empty()) clauses.push_back(verdict_clause(worse, "worse", name()));
    if (untold.empty()) clauses.back() += " " + seeds_text(grid);
  }
  if (!untold.empty() || grid.method == SignificanceMethod::sentences) clauses.push_back(needed_clause(grid));
  const std::string scope = grid.method == SignificanceMethod::sentences ? "Over test sentences alone, " : "";
  return scope + join(clauses, "; ") + ".";
}

std::string lone_text(const SweepResults& results) {
  const auto finished = std::ranges::find_if(results.cells, [](const CellResult& cell) { return cell.finished > 0; });
  const std::string figures = finished->cell + ": " + bleu_text(*finished);
  return results.cells.size() == 1 ? "The only cell is " + figures + "; there is nothing to compare it with."
                                   : "Only one of " + counted(std::ssize(results.cells), "cell") + " has a result, " +
                                         figures + "; there is nothing to compare it with yet.";
}

}  // namespace

std::string head_line(const SweepResults& results, const SweepComparison& comparison) {
  const auto finished = std::ranges::count_if(results.cells, [](const CellResult& cell) { return cell.finished > 0; });
  const std::string unfinished = unfinished_text(results);
  const std::string rest = unfinished.empty() ? "" : " Runs without a result: " + unfinished + ".";
  if (results.cells.empty()) return "The sweep has no cells.";
  if (finished == 0) return "No cell has a result." + rest;
  if (finished == 1) return lone_text(results) + rest;
  if (!comparison.grid || comparison.grid->compared == 0) {
    return counted(finished, "cell") + " have results, but their translations cannot be compared." + rest;
  }
  return comparison_text(results, *comparison.grid) + rest;
}

}  // namespace mha
