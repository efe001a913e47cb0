#pragma once

#include <string>
#include <vector>

#include "config/sweep_config.h"
#include "sweep/axis.h"

namespace mha {

/// What one cell sets over the base configuration; the seed is no part of it.
struct Point {
  std::string name;  // "h=8,d_k=64", or the name that the file gave it
  std::vector<Setting> settings;

  const Setting* find(const std::string& path) const;
  /// Whether it has all these values.
  bool matches(const std::vector<Setting>& partial) const;
  /// Values by the axes' names, in the order of the settings.
  json values() const;
};

/// "h=8,d_k=64"; "base" without settings.
std::string point_name(const std::vector<Setting>& settings);
/// The values of the settings by name.
json settings_json(const std::vector<Setting>& settings);

/// The axes of a grid and what is said of them.
struct Grid {
  std::vector<Axis> axes;  // without the seed
  std::vector<std::int64_t> seeds;
  std::vector<std::vector<std::string>> zip;
};

/// The axes of the section with those of the command line in place of, or after, them. UserError for an axis given
/// twice, axes one within the other, seeds given in two ways. No seeds at all: `base_seed`.
Grid make_grid(const SweepConfig& sweep, const std::vector<std::string>& tokens, std::int64_t base_seed);

/// Every combination of the axes' values, the last axis fastest; zipped axes are one, at the place of their first.
/// UserError for zips that cannot be, and for more than 10,000 runs.
std::vector<Point> grid_points(const Grid& grid);

/// The points of the section's list, as `key` ("points") names it; "name" names a point. UserError as for axes.
std::vector<Point> listed_points(const GridPoints& points, const std::string& key);

}  // namespace mha
