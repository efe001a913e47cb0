#include "sweep/baseline.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "report/run_folder.h"

namespace mha {
namespace {

constexpr std::size_t kMostListed = 8;

std::string list(const std::vector<const Cell*>& cells) {
  std::vector<std::string> names;
  for (const Cell* cell : cells) {
    if (names.size() < kMostListed) names.push_back(cell->point.name);
  }
  return join(names, "; ") + (cells.size() > kMostListed ? "; …" : "");
}

/// A configuration's hash with the head widths written out, so that "absent" and d_model / num_heads are the same.
std::string model_hash(RunConfig config, std::int64_t seed) {
  try {
    const HeadDims dims = head_dims(config.attention, config.model.d_model);
    config.attention.d_k = ValueOrWord<std::int64_t>::of(dims.d_k);
    config.attention.d_v = dims.d_v;
  } catch (const UserError&) {
    return "";  // a base that only its points make whole is the same as none of them
  }
  return config_hash(with_seed(config_to_json(config), seed));
}

const Cell& wished_cell(const std::vector<Cell>& cells, const std::string& wish, const std::string& where) {
  std::vector<const Cell*> all, found;
  for (const Cell& cell : cells) {
    all.push_back(&cell);
    if (cell.called(wish)) return cell;
  }
  if (wish.find('=') == std::string::npos) {
    throw UserError(where + ": no cell is called " + wish + "; the cells are " + list(all));
  }
  const std::vector<Setting> values = parse_settings(wish, where);
  for (const Cell& cell : cells) {
    if (cell.point.matches(values)) found.push_back(&cell);
  }
  if (found.size() == 1) return *found.front();
  if (found.empty()) throw UserError(where + ": no cell has " + wish + "; the cells are " + list(all));
  throw UserError(where + ": " + std::to_string(found.size()) + " cells have " + wish + ": " + list(found) +
                  "; give more values");
}

}  // namespace

std::string baseline_of(const std::vector<Cell>& cells, const LoadedConfig& base, std::int64_t seed,
                        const PlanRequest& request) {
  const bool asked = !request.baseline.empty();
  const std::string& wish = asked ? request.baseline : base.sweep.baseline;
  if (!wish.empty()) {
    const std::string where = asked ? "--baseline" : "sweep.baseline";
    const Cell& cell = wished_cell(cells, wish, where);
    if (cell.status == SweepRunStatus::pending) return cell.point.name;
    throw UserError(where + ": the cell " + cell.point.name + " is " + to_string(cell.status) + ": " + cell.reason);
  }
  const std::string own = model_hash(base.config, seed);
  const auto can_train = [](const Cell& cell) { return cell.status == SweepRunStatus::pending; };
  const auto is_base = [&](const Cell& cell) {
    return can_train(cell) && model_hash(cell.loaded->config, seed) == own;
  };
  if (const auto found = std::ranges::find_if(cells, is_base); found != cells.end()) return found->point.name;
  const auto first = std::ranges::find_if(cells, can_train);
  return first == cells.end() ? "" : first->point.name;
}

}  // namespace mha
