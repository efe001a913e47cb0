#include "sweep/points.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "config/short_names.h"

namespace mha {
namespace {

constexpr std::size_t kMostRuns = 10000;

bool overlap(const std::string& a, const std::string& b) {
  return a == b || a.starts_with(b + ".") || b.starts_with(a + ".");
}

void add_axis(Axis axis, bool replaces, std::vector<Axis>& axes) {
  for (Axis& other : axes) {
    if (other.path == axis.path && replaces) {
      other = std::move(axis);
      return;
    }
    if (!overlap(other.path, axis.path)) continue;
    if (other.path == axis.path)
      throw UserError("the axis " + axis.name + " is given twice; put all its values into one list");
    throw UserError("the axes " + other.name + " and " + axis.name + " set the same keys; keep one of them");
  }
  axes.push_back(std::move(axis));
}

/// Takes the axis `seed` out of the others.
std::vector<std::int64_t> take_seeds(std::vector<Axis>& axes) {
  std::vector<std::int64_t> seeds;
  const auto found = std::ranges::find(axes, "seed", &Axis::path);
  if (found == axes.end()) return seeds;
  for (const json& value : found->values) seeds.push_back(value.get<std::int64_t>());
  axes.erase(found);
  return seeds;
}

void keep_first_of_each(std::vector<std::int64_t>& seeds) {
  std::vector<std::int64_t> kept;
  for (const std::int64_t seed : seeds) {
    if (std::ranges::find(kept, seed) == kept.end()) kept.push_back(seed);
  }
  seeds = std::move(kept);
}

/// Axes that advance together: indices into Grid::axes.
using Group = std::vector<std::size_t>;

void check_zip(const std::vector<std::string>& names, const Group& group, const Grid& grid) {
  const std::string where = "sweep.zip [" + join(names, ", ") + "]";
  if (group.size() < 2) throw UserError(where + ": name at least two axes that vary together");
  const Axis& first = grid.axes[group.front()];
  for (const std::size_t i : group) {
    if (grid.axes[i].values.size() == first.values.size()) continue;
    throw UserError(where + ": " + first.name + " has " + std::to_string(first.values.size()) + " values and " +
                    grid.axes[i].name + " has " + std::to_string(grid.axes[i].values.size()) +
                    "; axes that vary together need equally many");
  }
}

/// The groups in the order of their first axes.
std::vector<Group> groups_of(const Grid& grid) {
  std::map<std::size_t, Group> zips;
  std::vector<bool> taken(grid.axes.size(), false);
  for (const auto& names : grid.zip) {
    Group group;
    for (const std::string& name : names) {
      const auto found = std::ranges::find(grid.axes, axis_path(name), &Axis::path);
      const auto index = static_cast<std::size_t>(found - grid.axes.begin());
      if (found == grid.axes.end()) {
        throw UserError("sweep.zip: " + name + " is no axis of this grid" +
                        (name == "seed" ? "; seeds are combined with every cell" : "; give it values, or take it out"));
      }
      if (taken[index]) throw UserError("sweep.zip: " + name + " stands twice; an axis can vary with others once");
      taken[index] = true;
      group.push_back(index);
    }
    check_zip(names, group, grid);
    zips[std::ranges::min(group)] = group;
  }
  for (std::size_t i = 0; i < grid.axes.size(); ++i) {
    if (!taken[i]) zips[i] = {i};
  }
  std::vector<Group> groups;
  for (auto& [first, group] : zips) groups.push_back(std::move(group));
  return groups;
}

}  // namespace

const Setting* Point::find(const std::string& path) const {
  const auto found = std::ranges::find(settings, path, &Setting::path);
  return found == settings.end() ? nullptr : &*found;
}

bool Point::matches(const std::vector<Setting>& partial) const {
  return std::ranges::all_of(partial, [&](const Setting& wanted) {
    const Setting* setting = find(wanted.path);
    return setting != nullptr && setting->value == wanted.value;
  });
}

json Point::values() const { return settings_json(settings); }

std::string point_name(const std::vector<Setting>& settings) {
  std::vector<std::string> parts;
  for (const Setting& setting : settings) parts.push_back(setting.name + "=" + value_text(setting.value));
  return parts.empty() ? "base" : join(parts, ",");
}

json settings_json(const std::vector<Setting>& settings) {
  json out = json::object();
  for (const Setting& setting : settings) out[setting.name] = setting.value;
  return out;
}

Grid make_grid(const SweepConfig& sweep, const std::vector<std::string>& tokens, std::int64_t base_seed) {
  std::vector<Axis> from_file, given;
  for (const GridAxis& axis : sweep.axes.list) add_axis(axis_of_file(axis), false, from_file);
  for (const std::string& token : tokens) add_axis(parse_axis(token), false, given);
  Grid grid{.axes = {}, .seeds = take_seeds(given), .zip = sweep.zip};
  std::vector<std::int64_t> axis_seeds = take_seeds(from_file);
  if (!axis_seeds.empty() && !sweep.seeds.empty()) {
    throw UserError("sweep.seeds and sweep.axes.seed both give seeds; keep one of them");
  }
  if (grid.seeds.empty()) grid.seeds = axis_seeds.empty() ? sweep.seeds : axis_seeds;
  if (grid.seeds.empty()) grid.seeds = {base_seed};
  keep_first_of_each(grid.seeds);
  grid.axes = std::move(from_file);
  for (Axis& axis : given) add_axis(std::move(axis), true, grid.axes);
  return grid;
}

std::vector<Point> grid_points(const Grid& grid) {
  const std::vector<Group> groups = groups_of(grid);
  std::size_t cells = grid.axes.empty() ? 0 : 1;
  for (const Group& group : groups) {
    cells *= grid.axes[group.front()].values.size();
    if (cells * grid.seeds.size() > kMostRuns) {
      throw UserError("the grid has more than " + std::to_string(kMostRuns) +
                      " runs; give fewer values, axes or seeds");
    }
  }
  std::vector<Point> points;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    std::vector<std::size_t> at(grid.axes.size());
    std::size_t rest = cell;
    for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
      const std::size_t size = grid.axes[group->front()].values.size();
      for (const std::size_t axis : *group) at[axis] = rest % size;
      rest /= size;
    }
    Point point;
    for (std::size_t i = 0; i < grid.axes.size(); ++i) point.settings.push_back(grid.axes[i].at(at[i]));
    point.name = point_name(point.settings);
    points.push_back(std::move(point));
  }
  return points;
}

std::vector<Point> listed_points(const GridPoints& points, const std::string& key) {
  std::vector<Point> out;
  for (std::size_t i = 0; i < points.list.size(); ++i) {
    const std::string where = "sweep." + key + "[" + std::to_string(i) + "]";
    Point point;
    for (const auto& [name, value] : points.list[i].items()) {
      if (name == "name" && key == "points") {
        if (!value.is_string() || value.empty() || value == "")
          throw UserError(where + ".name: must be a text that is not empty");
        point.name = value.get<std::string>();
        const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
        if (std::ranges::any_of(point.name, is_control))
          throw UserError(where + ".name: has a control character; tables and messages show it, so use plain text");
        continue;
      }
      if (name == "seed") throw UserError(where + ": has a seed; seeds are combined with every cell, see sweep.seeds");
      Setting setting = make_setting(name, value, points.folder, where);
      for (const Setting& other : point.settings) {
        if (overlap(other.path, setting.path))
          throw UserError(where + ": " + other.name + " and " + name + " set the same keys");
      }
      point.settings.push_back(std::move(setting));
    }
    if (point.name.empty()) point.name = point_name(point.settings);
    out.push_back(std::move(point));
  }
  return out;
}

}  // namespace mha
