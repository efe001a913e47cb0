#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "config/values.h"

namespace mha {

/// One axis of a grid as a file writes it.
struct GridAxis {
  std::string name;              // "h", "model.dropout"
  json values;                   // a list, or text as the command line takes it: "1..32*2"
  std::filesystem::path folder;  // where relative paths among the values start
  bool operator==(const GridAxis&) const = default;
};
/// {"h": [1, 2, 4], "d_k": "16..64+16"}; null takes an axis back that a file below gave.
struct GridAxes {
  std::vector<GridAxis> list;
  bool operator==(const GridAxes&) const = default;
};

/// [{"h": 8, "d_k": 64}, {"name": "wide", "model.d_ff": 1024}]
struct GridPoints {
  std::vector<json> list;
  std::filesystem::path folder;
  bool operator==(const GridPoints&) const = default;
};

template <>
struct ValueType<GridAxes> {
  static std::string words(const Rule&);
  static json schema(const Rule&);
  static json write(const GridAxes& axes);
  static bool read(const json& in, const Rule&, const Source& source, GridAxes& out);
};

template <>
struct ValueType<GridPoints> {
  static std::string words(const Rule&);
  static json schema(const Rule&);
  static json write(const GridPoints& points);
  static bool read(const json& in, const Rule&, const Source& source, GridPoints& out);
};

enum class Hold { nothing, budget, params, flops };
constexpr std::array<std::string_view, 4> enum_names(Hold) { return {"nothing", "h*d_k", "params", "flops"}; }

/// What `mha-train sweep` makes of a configuration. No part of any run.
struct SweepConfig {
  GridAxes axes;
  std::vector<std::int64_t> seeds;
  std::vector<std::vector<std::string>> zip;
  GridPoints exclude, points;
  Hold hold = Hold::nothing;
  std::string baseline;

  template <class V>
  static void fields(V& v) {
    v(&SweepConfig::axes, "axes", any(),
      "Values by key, the last varying fastest: a list, or text: `\"1,2,4\"`, `\"1..8\"` (steps of 1), `\"16..64+16\"` "
      "(of 16), `\"1..32*2\"` (doubled). Any key that changes a result, and for short `h` (attention.num_heads), "
      "`d_k`, `d_v`, `d_model`, `d_ff`, `lr`. null: no such axis.");
    v(&SweepConfig::seeds, "seeds", range(0, 4294967295.0),
      "Every cell is trained with each of these seeds; empty: with `seed`. The same as an axis `seed`.");
    v(&SweepConfig::zip, "zip", any(),
      "Axes that vary together instead of in all combinations: `[[\"h\", \"d_k\"]]` takes the first value of both, "
      "then "
      "the second, and so on.");
    v(&SweepConfig::exclude, "exclude", any(),
      "Cells to leave out: each that has all the values of one of these, `[{\"h\": 16, \"d_k\": 64}]`.");
    v(&SweepConfig::points, "points", any(),
      "Cells beside the grid: `[{\"h\": 8, \"d_k\": 64}, {\"name\": \"wide\", \"d_ff\": 1024}]`; all else is as in the "
      "configuration.");
    v(&SweepConfig::hold, "hold", any(),
      "What stays as in the configuration while heads vary: `nothing`; `h*d_k`: d_k is set to that budget / h; "
      "`params` "
      "or `flops` (of training, per target token): d_ff is set to what comes nearest.");
    v(&SweepConfig::baseline, "baseline", any(),
      "The cell that the others are compared with: its name, or values that only it has, `h=8,d_k=16`. Empty: the cell "
      "that is the configuration itself, else the first.");
  }
  bool operator==(const SweepConfig&) const = default;
};

}  // namespace mha
