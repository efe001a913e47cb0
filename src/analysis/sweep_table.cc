#include "analysis/sweep_table.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "analysis/sweep_figures.h"
#include "base/text.h"
#include "report/field_json.h"

namespace mha {
namespace {

/// A column and what it shows of a cell.
struct CellColumn {
  TableColumn column;
  std::function<std::string(const CellResult&)> text;
};

/// Of the model or, where there is none, of the plan.
std::string heads_text(const CellResult& cell, std::optional<std::int64_t> CellShape::*member, const char* axis) {
  if (cell.shape && (*cell.shape).*member) return std::to_string(*((*cell.shape).*member));
  return !cell.shape && cell.point.contains(axis) ? axis_text(cell.point[axis]) : "-";
}

std::string marked(const std::string& figure, bool comparable) {
  return comparable || figure == "-" ? figure : figure + " (!)";
}

std::string verdict_text(const CellResult& cell) {
  const CellAgainstBaseline& against = cell.against_baseline;
  if (against.verdict == CellVerdict::not_compared) return "-";
  if (against.verdict == CellVerdict::baseline) return "baseline";
  return to_string(against.verdict) + " (p " + p_text(against.p_holm) + ")";
}

std::string interval_text(const SeedSpread& bleu) {
  return std::isfinite(bleu.low) ? fixed_text(bleu.low, 2) + " to " + fixed_text(bleu.high, 2) : "-";
}

std::string fronts_text(const CellResult& cell) {
  std::string marks;
  for (const std::string& front : cell.fronts) marks += front[0];
  return marks;
}

/// The axes that the columns for h and d_k do not show, in the order of the plan.
std::vector<std::string> other_axes(const SweepResults& results) {
  std::vector<std::string> axes;
  for (const CellResult& cell : results.cells) {
    for (const auto& [axis, value] : cell.point.items()) {
      if (axis != "h" && axis != "d_k" && std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
    }
  }
  return axes;
}

/// Whether a cell is called otherwise than by its values, "h=8,d_k=64", which the columns show.
bool has_names(const SweepResults& results) {
  return std::ranges::any_of(results.cells,
                             [](const CellResult& cell) { return cell.cell.find('=') == std::string::npos; });
}

/// Whether d_ff differs though it is no axis: it was adjusted to what is held.
bool has_adjusted_d_ff(const SweepResults& results) {
  std::set<std::int64_t> widths;
  for (const CellResult& cell : results.cells) {
    if (cell.point.contains("d_ff")) return false;
    if (cell.shape) widths.insert(cell.shape->d_ff);
  }
  return widths.size() > 1;
}

std::vector<CellColumn> cell_columns(const SweepResults& results) {
  const auto heads = [](std::optional<std::int64_t> CellShape::*member, const char* axis) {
    return [member, axis](const CellResult& cell) { return heads_text(cell, member, axis); };
  };
  std::vector<CellColumn> columns;
  if (has_names(results)) columns.push_back({{"cell", "cell", true}, [](const CellResult& c) { return c.cell; }});
  columns.push_back({{"h", "h", false, "$h$"}, heads(&CellShape::num_heads, "h")});
  columns.push_back({{"d_k", "d_k", false, "$d_k$"}, heads(&CellShape::d_k, "d_k")});
  columns.push_back({{"h*d_k", "h*d_k", false, "$h d_k$"}, heads(&CellShape::heads_times_d_k, "h*d_k")});
  for (const std::string& axis : other_axes(results)) {
    columns.push_back({{axis, axis}, [axis](const CellResult& cell) {
                         return cell.point.contains(axis) ? axis_text(cell.point[axis]) : "-";
                       }});
  }
  if (has_adjusted_d_ff(results)) {
    columns.push_back(
        {{"d_ff", "d_ff"}, [](const CellResult& c) { return c.shape ? std::to_string(c.shape->d_ff) : "-"; }});
  }
  const std::vector<CellColumn> figures = {
      {{"parameters", "params"}, [](const CellResult& c) { return count_text(c.parameters); }},
      {{"flops", "FLOPs/token"}, [](const CellResult& c) { return flops_text(c.train_flops_per_token); }},
      {{"nll_loss", "nll"}, [](const CellResult& c) { return marked(fixed_text(c.nll_loss, 4), c.same_vocabulary); }},
      {{"ppl", "ppl"}, [](const CellResult& c) { return marked(fixed_text(c.ppl, 3), c.same_vocabulary); }},
      {{"bleu", "BLEU"}, [](const CellResult& c) { return marked(fixed_text(c.bleu.mean, 2), c.same_test); }},
      {{"sd", "sd"}, [](const CellResult& c) { return fixed_text(c.bleu.sd, 2); }},
      {{"interval", "95 % interval"}, [](const CellResult& c) { return interval_text(c.bleu); }},
      {{"verdict", "vs baseline", true}, verdict_text},
      {{"chrf", "chrF"}, [](const CellResult& c) { return fixed_text(c.chrf, 2); }},
      {{"wps", "tokens/s"},
       [](const CellResult& c) { return marked(rounded_text(c.wps), c.comparable && c.same_vocabulary); }},
      {{"memory", "memory"},
       [](const CellResult& c) {
         return marked(c.peak_resident_bytes ? format_bytes(*c.peak_resident_bytes) : "-", c.comparable);
       }},
      {{"wall", "time"}, [](const CellResult& c) { return std::isfinite(c.wall) ? format_duration(c.wall) : "-"; }},
      {{"fronts", "front", true}, fronts_text},
      {{"seeds", "seeds"},
       [](const CellResult& c) { return std::to_string(c.finished) + "/" + std::to_string(c.seeds); }},
      {{"status", "status", true}, [](const CellResult& c) { return c.status; }},
  };
  columns.insert(columns.end(), figures.begin(), figures.end());
  return columns;
}

/// The leaves of an object, "bleu.mean" and such; lists of plain values are leaves, lists of objects are left out: they
/// have tables of their own.
void flatten(const json& value, const std::string& path, json& out) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) flatten(inner, path.empty() ? key : path + "." + key, out);
  } else if (!value.is_array() || value.empty() || !value[0].is_object()) {
    out[path] = value;
  }
}

json flat_row(const CellResult& cell) {
  json row = field_to_json(cell);
  for (const char* list : {"unfinished", "phenomena"}) row.erase(list);
  if (row["shape"].is_null()) row["shape"] = field_to_json(CellShape{});
  json out = json::object();
  flatten(row, "", out);
  if (cell.shape) return out;
  for (auto& [key, value] : out.items()) {
    if (key.starts_with("shape.")) value = nullptr;
  }
  return out;
}

}  // namespace

Table sweep_table(const SweepResults& results) {
  Table table{.title = "Results", .columns = {}, .rows = {}};
  const std::vector<CellColumn> columns = cell_columns(results);
  for (const CellColumn& column : columns) table.columns.push_back(column.column);
  for (const CellResult& cell : results.cells) {
    auto& row = table.rows.emplace_back();
    for (const CellColumn& column : columns) {
      const std::string text = column.text(cell);
      row.push_back({text, text});
    }
  }
  return table;
}

Table flat_sweep_table(const SweepResults& results) {
  Table table{.title = "Results", .columns = {}, .rows = {}};
  std::vector<json> rows;
  for (const CellResult& cell : results.cells) {
    for (const auto& [key, value] : rows.emplace_back(flat_row(cell)).items()) {
      if (std::ranges::find(table.columns, key, &TableColumn::key) == table.columns.end())
        table.columns.push_back({key, key});
    }
  }
  // Points differ in their axes, so the columns of points of later cells come after all others: put them together.
  const auto is_point = [](const TableColumn& column) { return column.key.starts_with("point."); };
  const auto behind_cell = table.columns.begin() + (table.columns.empty() ? 0 : 1);
  std::stable_partition(behind_cell, table.columns.end(), is_point);
  for (const json& from : rows) {
    auto& row = table.rows.emplace_back();
    for (const TableColumn& column : table.columns) {
      row.push_back({"", from.contains(column.key) ? from[column.key] : json(nullptr)});
    }
  }
  return table;
}

Table phenomena_table(const SweepResults& results) {
  Table table{.title = "Accuracy by phenomenon, %", .columns = {{"phenomenon", "phenomenon", true}}, .rows = {}};
  std::set<std::string> names;
  std::vector<const CellResult*> cells;
  for (const CellResult& cell : results.cells) {
    for (const CellPhenomenon& phenomenon : cell.phenomena) names.insert(phenomenon.name);
    if (cell.phenomena.empty()) continue;
    cells.push_back(&cell);
    table.columns.push_back({cell.cell, cell.cell});
  }
  for (const std::string& name : names) {
    auto& row = table.rows.emplace_back();
    row.push_back({name, name});
    for (const CellResult* cell : cells) {
      const auto found = std::ranges::find(cell->phenomena, name, &CellPhenomenon::name);
      const double accuracy = found == cell->phenomena.end() ? kUnknown : found->accuracy;
      row.push_back({fixed_text(100 * accuracy, 1), field_to_json(accuracy)});
    }
  }
  return table;
}

Table unfinished_table(const SweepResults& results) {
  Table table{.title = "Runs without a result",
              .columns = {{"cell", "cell", true},
                          {"seed", "seed", true},
                          {"status", "status", true},
                          {"reason", "reason", true},
                          {"log", "log", true}},
              .rows = {}};
  for (const CellResult& cell : results.cells) {
    const std::size_t first = table.rows.size();
    for (const UnfinishedRun& run : cell.unfinished) {
      if (run.status == SweepRunStatus::pending || run.status == SweepRunStatus::running) continue;
      const std::string status = words_of(run.status), seed = std::to_string(run.seed);
      const auto same =
          std::find_if(table.rows.begin() + static_cast<std::ptrdiff_t>(first), table.rows.end(),
                       [&](const auto& row) { return row[2].text == status && row[3].text == run.reason; });
      if (same != table.rows.end()) {
        (*same)[1].text += ", " + seed;
        if (!run.log.empty()) (*same)[4].text += ", " + run.log;
        continue;
      }
      auto& row = table.rows.emplace_back();
      for (const std::string& text : {cell.cell, seed, status, run.reason, run.log.empty() ? "-" : run.log})
        row.push_back({text, text});
    }
  }
  return table;
}

}  // namespace mha
