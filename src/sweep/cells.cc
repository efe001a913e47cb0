#include "sweep/cells.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "sweep/places.h"

namespace mha {
namespace {

RunConfig held_base(const PlanRequest& request, const LoadedConfig& base, Hold hold) {
  const bool has_cost = hold == Hold::params || hold == Hold::flops;
  return has_cost ? load_config(request.file, request.assignments, request.kinds).config : base.config;
}

std::vector<Assignment> assignments_of(const PlanRequest& request, const Point& point) {
  std::vector<Assignment> all = request.assignments;
  for (const Setting& setting : point.settings) {
    all.push_back({.path = setting.path,
                   .value = dump_json(setting.value, -1),
                   .origin = "sweep point",
                   .folder = setting.folder});
  }
  return all;
}

/// The problems of a refused configuration on one line, without the line that names the file.
std::string reason_of(const UserError& error) {
  std::vector<std::string> lines = split(error.what(), '\n');
  if (lines.size() > 1) lines.erase(lines.begin());
  for (std::string& line : lines) line.erase(0, line.find_first_not_of(' '));
  return join(lines, "; ");
}

}  // namespace

bool Cell::called(const std::string& name) const {
  return point.name == name || std::ranges::find(other_names, name) != other_names.end();
}

json with_seed(const json& resolved, std::int64_t seed) {
  json config = resolved;
  config["seed"] = seed;
  return config;
}

CellMaker::CellMaker(const PlanRequest& request, const LoadedConfig& base, Hold hold, const PlanFunctions& functions)
    : request_(request), base_(base), functions_(functions), holder_(hold, held_base(request, base, hold), functions) {}

void CellMaker::resolve(Cell& cell) const {
  std::vector<Assignment> assignments = assignments_of(request_, cell.point);
  const auto load = [&] { return load_config(request_.file, assignments, request_.kinds); };
  const RunConfig unadjusted = read_config(request_.file, assignments).config;
  holder_.check_agrees(cell.point, unadjusted);
  try {
    const auto adjustment = holder_.adjustment(holder_.needs_checked_cell() ? load().config : unadjusted);
    if (adjustment) assignments.push_back(*adjustment);
    cell.loaded = load();
    cell.cost = functions_.cost(cell.loaded->config);
    cell.held = holder_.of(cell.loaded->config, cell.cost);
    if (adjustment && holder_.needs_checked_cell()) cell.d_ff = cell.loaded->config.model.d_ff;
    holder_.check_reached(cell.held);
  } catch (const UserError& error) {
    cell.loaded.reset();
    cell.status = SweepRunStatus::invalid;
    cell.reason = reason_of(error);
  }
}

Cell CellMaker::make(const Point& point) const {
  check_every_place(point, base_);
  Cell cell;
  cell.point = point;
  resolve(cell);
  return cell;
}

}  // namespace mha
