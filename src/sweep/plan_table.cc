#include "sweep/plan_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/text.h"
#include "report/field_json.h"

namespace mha {
namespace {

using Row = std::vector<std::string>;
constexpr std::size_t kTextColumns = 2;

/// Characters, not bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// Cell and status to the left, numbers to the right, two spaces between.
std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width(row[i]), ' ');
      out += (i == 0 ? "" : "  ") + (i < kTextColumns ? row[i] + padding : padding + row[i]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

/// 1234567 -> "1.23 M": three digits, in steps of 1000.
std::string short_number(double value) {
  constexpr std::array<const char*, 6> units = {"", " k", " M", " G", " T", " P"};
  if (!std::isfinite(value)) return "-";
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < units.size(); ++unit) value /= 1000;
  const int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return format_fixed(value, digits) + units[unit];
}

std::string seconds(double value) { return std::isfinite(value) ? format_duration(value) : "-"; }

double residual(const SweepPlan& plan, const PlannedRun& run) { return run.held - plan.held; }

/// "+0.02 %"
std::string percent(double share) {
  if (!std::isfinite(share)) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%+.2f %%", 100 * share);
  return share == 0 ? "0 %" : text;
}

std::string held_number(Hold hold, double value) {
  return hold == Hold::flops ? short_number(value) : format_count(std::llround(value));
}

/// Consecutive runs of one cell.
struct CellRuns {
  const PlannedRun* first;
  std::int64_t count;
};

std::vector<CellRuns> cells_of(const SweepPlan& plan) {
  std::vector<CellRuns> cells;
  for (const PlannedRun& run : plan.runs) {
    if (!cells.empty() && cells.back().first->run.cell == run.run.cell) {
      ++cells.back().count;
    } else {
      cells.push_back({&run, 1});
    }
  }
  return cells;
}

bool is_pending(const PlannedRun& run) { return run.run.status == SweepRunStatus::pending; }

Row cell_row(const SweepPlan& plan, const CellRuns& cell) {
  const PlannedRun& run = *cell.first;
  const RunCost& cost = run.run.cost;
  const bool known = !run.config.is_null();
  Row row = {run.run.cell + (run.run.cell == plan.baseline ? " *" : ""),
             to_string(run.run.status),
             std::to_string(cell.count),
             known ? format_count(cost.parameters) : "-",
             known ? short_number(cost.train_flops_per_token) : "-",
             known && cost.memory_bytes > 0 ? format_bytes(cost.memory_bytes) : "-",
             known ? seconds(cost.seconds) : "-"};
  if (plan.hold == Hold::nothing) return row;
  if (plan.hold == Hold::budget) row.push_back(known ? held_number(plan.hold, run.held) : "-");
  row.push_back(known ? percent(residual(plan, run) / plan.held) : "-");
  if (plan.hold != Hold::budget) row.push_back(run.d_ff > 0 ? std::to_string(run.d_ff) : "-");
  return row;
}

std::string table(const SweepPlan& plan) {
  Row header = {"cell", "status", "runs", "parameters", "FLOPs/token", "memory", "time/run"};
  if (plan.hold == Hold::budget) header.insert(header.end(), {"h*d_k", "off by"});
  if (plan.hold == Hold::params || plan.hold == Hold::flops) header.insert(header.end(), {"off by", "d_ff"});
  std::vector<Row> rows = {header};
  for (const CellRuns& cell : cells_of(plan)) rows.push_back(cell_row(plan, cell));
  return aligned(rows);
}

struct Totals {
  std::int64_t cells = 0, runs = 0, to_train = 0, excluded = 0, invalid = 0;  // excluded, invalid: cells
  std::int64_t largest_memory = 0;                                            // bytes, of a run to train
  double seconds = 0;                                                         // of all runs to train; NaN: unknown
};

Totals totals_of(const SweepPlan& plan) {
  Totals totals;
  for (const CellRuns& cell : cells_of(plan)) {
    ++totals.cells;
    totals.runs += cell.count;
    totals.excluded += cell.first->run.status == SweepRunStatus::excluded ? 1 : 0;
    totals.invalid += cell.first->run.status == SweepRunStatus::invalid ? 1 : 0;
  }
  for (const PlannedRun& run : plan.runs) {
    if (!is_pending(run)) continue;
    ++totals.to_train;
    totals.seconds += run.run.cost.seconds;
    totals.largest_memory = std::max(totals.largest_memory, run.run.cost.memory_bytes);
  }
  return totals;
}

std::string count(std::int64_t n, const std::string& thing) {
  return format_count(n) + " " + thing + (n == 1 ? "" : "s");
}

std::string totals_text(const SweepPlan& plan) {
  const Totals totals = totals_of(plan);
  std::string out = count(totals.cells, "cell") + ", " + count(totals.runs, "run") + "; " +
                    format_count(totals.to_train) + " to train";
  if (totals.excluded > 0) out += ", " + count(totals.excluded, "cell") + " excluded";
  if (totals.invalid > 0) out += ", " + count(totals.invalid, "cell") + " invalid";
  if (totals.largest_memory > 0) out += "; at most " + format_bytes(totals.largest_memory) + " of memory a run";
  if (totals.to_train > 0 && std::isfinite(totals.seconds)) {
    out += "; " + format_duration(totals.seconds) + " one after another";
  }
  return out + "\n";
}

std::string reasons(const SweepPlan& plan) {
  std::string out;
  for (const CellRuns& cell : cells_of(plan)) {
    const SweepRun& run = cell.first->run;
    if (!run.reason.empty()) out += run.cell + " is " + to_string(run.status) + ": " + run.reason + "\n";
  }
  return out;
}

}  // namespace

std::string plan_text(const SweepPlan& plan) {
  std::string out = "Sweep of " + plan.name + "; held fixed: " + to_string(plan.hold);
  if (plan.hold != Hold::nothing) out += " at " + held_number(plan.hold, plan.held);
  std::vector<std::string> seeds;
  for (const json& seed : plan.axes["seed"]) seeds.push_back(seed.dump());
  out += seeds.size() == 1 ? "; seed " : "; seeds ";
  out += join(seeds, ", ") + ".\n\n" + table(plan);
  if (!plan.baseline.empty()) out += "* the others are compared with this cell\n";
  out += "\n" + reasons(plan);
  for (const std::string& note : plan.notes) out += "note: " + note + "\n";
  return out + totals_text(plan);
}

json plan_json(const SweepPlan& plan) {
  const Totals totals = totals_of(plan);
  json out = {{"format", "mha-train/sweep-plan"},
              {"format_version", 1},
              {"name", plan.name},
              {"hold", to_string(plan.hold)},
              {"held", field_to_json(plan.held)},
              {"baseline", plan.baseline},
              {"axes", plan.axes},
              {"notes", plan.notes},
              {"totals",
               {{"cells", totals.cells},
                {"runs", totals.runs},
                {"to_train", totals.to_train},
                {"excluded_cells", totals.excluded},
                {"invalid_cells", totals.invalid},
                {"largest_memory_bytes", totals.largest_memory},
                {"seconds", field_to_json(totals.seconds)}}},
              {"runs", json::array()}};
  for (const PlannedRun& run : plan.runs) {
    json item = field_to_json(run.run);
    item["held"] = field_to_json(run.held);
    item["d_ff"] = run.d_ff > 0 ? json(run.d_ff) : json(nullptr);
    out["runs"].push_back(std::move(item));
  }
  return out;
}

}  // namespace mha
