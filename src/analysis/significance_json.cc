#include "analysis/significance_json.h"

#include "report/field_json.h"

namespace mha {
namespace {

json needed_json(const SeedsNeeded& needed) {
  return {{"difference", needed.difference},
          {"power", needed.power},
          {"seeds", field_to_json(needed.seeds)},
          {"smallest_difference", field_to_json(needed.smallest_difference)},
          {"seed_deviation", field_to_json(needed.seed_deviation)},
          {"sentence_deviation", field_to_json(needed.sentence_deviation)}};
}

json cell_json(const CellSignificance& cell) {
  json out = {{"cell", cell.name},
              {"scores", cell.scores},
              {"sentences", nullptr},
              {"error", nullptr},
              {"p_sacrebleu", nullptr}};
  if (cell.sentences) out["sentences"] = {{"mean", cell.sentences->mean}, {"half_width", cell.sentences->half_width}};
  if (!cell.comparison) return out;
  out["error"] = field_to_json(cell.comparison->error);
  out["p_sacrebleu"] = field_to_json(cell.comparison->p_sacrebleu);
  return out;
}

}  // namespace

json significance_json(const SweepComparison& comparison) {
  if (!comparison.grid) return nullptr;
  const GridSignificance& grid = *comparison.grid;
  json out = {{"method", to_string(grid.method)},
              {"seed_variance", nullptr},
              {"resamples", grid.resamples},
              {"sentences", grid.sentences},
              {"compared", grid.compared},
              {"seeds_needed", needed_json(grid.seeds_needed)},
              {"uneven", nullptr},
              {"problems", comparison.problems},
              {"cells", json::array()}};
  if (grid.method == SignificanceMethod::hierarchical)
    out["seed_variance"] = to_string(comparison.unsteady.empty() ? SeedVariance::pooled : SeedVariance::pair);
  if (grid.uneven) out["uneven"] = {{"cell", grid.cells[grid.uneven->cell].name}, {"p", grid.uneven->p}};
  for (const CellSignificance& cell : grid.cells) out["cells"].push_back(cell_json(cell));
  return out;
}

}  // namespace mha
