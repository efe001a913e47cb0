#include "sweep/plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "report/run_folder.h"
#include "sweep/baseline.h"
#include "sweep/cells.h"
#include "sweep/points.h"

namespace mha {
namespace {

constexpr std::size_t kIdDigits = 12, kSlugIdDigits = 6, kMostSlug = 60;

/// What tells a point that has no configuration from others: its values, whatever their order.
std::string point_key(const Point& point) {
  std::map<std::string, json> values;
  for (const Setting& setting : point.settings) values[setting.path] = setting.value;
  return dump_json(json(values), -1);
}

std::string run_id(const Cell& cell, const json& base, std::int64_t seed) {
  if (cell.loaded) return config_hash(with_seed(cell.loaded->resolved, seed)).substr(0, kIdDigits);
  const json identity = run_identity(with_seed(base, seed));
  return sha256_hex(dump_json(identity, -1) + "\n" + point_key(cell.point)).substr(0, kIdDigits);
}

/// Every value of every axis once, the seeds last.
json axes_json(const Grid& grid) {
  json axes = json::object();
  for (const Axis& axis : grid.axes) {
    json& values = axes[axis.name] = json::array();
    for (const json& value : axis.values) {
      if (std::ranges::find(values, value) == values.end()) values.push_back(value);
    }
  }
  axes["seed"] = grid.seeds;
  return axes;
}

class Planner {
 public:
  Planner(const PlanRequest& request, const PlanFunctions& functions)
      : request_(request),
        base_(read_config(request.file, request.assignments)),
        hold_(request.hold.value_or(base_.sweep.hold)),
        grid_(make_grid(base_.sweep, request.axes, base_.config.seed)),
        maker_(request, base_, hold_, functions) {}

  SweepPlan run() {
    for (const Point& point : all_points()) add(maker_.make(point));
    exclude();
    check_some_valid();
    SweepPlan plan{.name = base_.config.name,
                   .hold = hold_,
                   .held = maker_.wanted(),
                   .base = base_.resolved,
                   .axes = axes_json(grid_),
                   .baseline = baseline_of(cells_, base_, grid_.seeds.front(), request_),
                   .runs = {},
                   .notes = std::move(notes_)};
    for (const Cell& cell : cells_) add_runs(cell, plan);
    return plan;
  }

 private:
  std::vector<Point> all_points() const {
    std::vector<Point> points = grid_points(grid_);
    for (Point& point : listed_points(base_.sweep.points, "points")) points.push_back(std::move(point));
    if (!points.empty()) return points;
    if (grid_.seeds.size() > 1) return {Point{.name = point_name({}), .settings = {}}};
    throw UserError("nothing to sweep: give axes such as h=1,2,4 d_k=8,16, or a sweep section in " +
                    request_.file.string());
  }

  /// Cells of the same configuration are one: the first.
  void add(Cell cell) {
    const std::string key = cell.loaded ? run_id(cell, base_.resolved, grid_.seeds.front()) : point_key(cell.point);
    const std::string name = cell.point.name;
    const auto [place, is_new] = by_key_.emplace(key, cells_.size());
    const std::size_t index = place->second;
    if (by_name_.emplace(name, index).first->second != index) {
      throw UserError("two different cells are called " + name + "; give the one in sweep.points another name");
    }
    if (is_new) {
      cells_.push_back(std::move(cell));
    } else {
      cells_[index].other_names.push_back(name);
    }
  }

  void exclude() {
    for (const Point& excluded : listed_points(base_.sweep.exclude, "exclude")) exclude(excluded);
    for (Cell& cell : cells_) {
      if (request_.max_memory <= 0 || cell.status != SweepRunStatus::pending) continue;
      if (cell.cost.memory_bytes <= request_.max_memory) continue;
      cell.status = SweepRunStatus::excluded;
      cell.reason = "expected to need " + format_bytes(cell.cost.memory_bytes) +
                    " of memory, more than --max-memory, " + format_bytes(request_.max_memory);
    }
  }

  void exclude(const Point& excluded) {
    for (const Setting& setting : excluded.settings) {
      const auto sets = [&](const Cell& cell) { return cell.point.find(setting.path) != nullptr; };
      if (std::ranges::any_of(cells_, sets)) continue;
      throw UserError("sweep.exclude " + excluded.name + ": no cell sets " + setting.name +
                      "; name axes of the grid or keys of its points");
    }
    bool found = false;
    for (Cell& cell : cells_) {
      if (!cell.point.matches(excluded.settings)) continue;
      found = true;
      cell.status = SweepRunStatus::excluded;
      cell.reason = "by sweep.exclude: " + excluded.name;
    }
    if (!found) notes_.push_back("sweep.exclude " + excluded.name + " matches no cell.");
  }

  /// If the base itself is what is wrong with every cell, that is said once.
  void check_some_valid() const {
    const auto invalid = [](const Cell& cell) { return !cell.loaded; };
    if (!std::ranges::all_of(cells_, invalid)) return;
    load_config(request_.file, request_.assignments, request_.kinds);
  }

  void add_runs(const Cell& cell, SweepPlan& plan) {
    for (const std::int64_t seed : grid_.seeds) {
      PlannedRun planned{.run = {}, .config = nullptr, .held = cell.held, .d_ff = cell.d_ff};
      SweepRun& run = planned.run;
      run.id = run_id(cell, base_.resolved, seed);
      run.cell = cell.point.name;
      run.point = cell.point.values();
      run.seed = seed;
      run.status = cell.status;
      run.reason = cell.reason;
      run.cost = cell.cost;
      std::string slug = run_slug(run);
      if (!slugs_.insert(slug).second) slug += run.id.substr(kSlugIdDigits);
      run.run_dir = "runs/" + slug;
      run.log = "logs/" + slug + ".log";
      if (cell.loaded) {
        planned.config = with_seed(cell.loaded->resolved, seed);
        planned.config["run_dir"] = run.run_dir;
      }
      plan.runs.push_back(std::move(planned));
    }
  }

  const PlanRequest& request_;
  LoadedConfig base_;
  Hold hold_;
  Grid grid_;
  CellMaker maker_;
  std::vector<Cell> cells_;
  std::map<std::string, std::size_t> by_key_, by_name_;  // of what makes a cell, of what it is called, to its index
  std::set<std::string> slugs_;
  std::vector<std::string> notes_;
};

}  // namespace

SweepPlan make_plan(const PlanRequest& request, const PlanFunctions& functions) {
  return Planner(request, functions).run();
}

std::string run_slug(const SweepRun& run) {
  std::string slug;
  for (const char c : run.cell.substr(0, kMostSlug)) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    slug += plain ? c : c == '=' ? '-' : '_';
  }
  if (slug.front() == '.' || slug.front() == '-') slug.front() = '_';
  return slug + "-seed" + std::to_string(run.seed) + "-" + run.id.substr(0, kSlugIdDigits);
}

std::vector<std::string> changed_keys(const SweepFile& there, const SweepPlan& now) {
  std::vector<std::string> changed = config_differences(with_seed(there.base, 0), with_seed(now.base, 0));
  if (there.hold != to_string(now.hold)) {
    changed.push_back("hold: " + there.hold + " there, " + to_string(now.hold) + " now");
  }
  return changed;
}

}  // namespace mha
