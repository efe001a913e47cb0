#include "analysis/table3.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>

#include "analysis/sweep_figures.h"
#include "analysis/sweep_notes.h"
#include "base/text.h"
#include "report/field_json.h"

namespace mha {
namespace {

/// Axes that columns of the table show already, by their names in sweep.json: the short one where there is one.
constexpr std::array<std::string_view, 10> kShownAxes = {"h",
                                                         "d_k",
                                                         "d_v",
                                                         "d_model",
                                                         "d_ff",
                                                         "model.encoder_layers",
                                                         "model.decoder_layers",
                                                         "model.dropout",
                                                         "train.label_smoothing",
                                                         "train.max_update"};

bool is_shown(const std::string& axis) { return std::ranges::find(kShownAxes, axis) != kShownAxes.end(); }

/// What a cell varies that no column shows.
json hidden_point(const CellResult& cell) {
  json hidden = json::object();
  for (const auto& [axis, value] : cell.point.items()) {
    if (!is_shown(axis)) hidden[axis] = value;
  }
  return hidden;
}

/// Everything but the heads.
json without_heads(const CellResult& cell) {
  json rest = field_to_json(*cell.shape);
  for (const char* key : {"num_heads", "d_k", "d_v", "heads_times_d_k"}) rest.erase(key);
  rest["point"] = hidden_point(cell);
  rest["updates"] = cell.point.value("train.max_update", json(nullptr));
  return rest;
}

enum class Group { base, a, b, other };

Group group_of(const CellResult& cell, const CellResult& base) {
  if (&cell == &base) return Group::base;
  const CellShape &own = *cell.shape, &its = *base.shape;
  if (!own.heads_times_d_k || without_heads(cell) != without_heads(base)) return Group::other;
  if (own.num_heads != its.num_heads) return own.heads_times_d_k == its.heads_times_d_k ? Group::a : Group::other;
  return own.d_k != its.d_k ? Group::b : Group::other;
}

/// "100K" as the paper writes it, or the number.
std::string steps_text(double updates) {
  const bool thousands = std::isfinite(updates) && updates >= 1000 && std::fmod(updates, 1000) == 0;
  return thousands ? fixed_text(updates / 1000, 0) + "K" : fixed_text(updates, 0);
}

std::string millions_text(const std::optional<std::int64_t>& parameters) {
  if (!parameters) return "-";
  const double millions = static_cast<double>(*parameters) / 1e6;
  return format_fixed(millions, millions < 10 ? 2 : millions < 100 ? 1 : 0);
}

json number(double value) { return field_to_json(value); }

/// "0.1": the shortest form, as configurations have it.
TableCell plain(const json& value) { return {value.is_null() ? "-" : axis_text(value), value}; }

struct Table3Column {
  TableColumn column;
  std::function<TableCell(const CellResult&)> cell;
  bool always = false;  // shown even if it equals the baseline's: a result
};

std::vector<Table3Column> columns_of(const SweepResults& results) {
  const auto shape = [](auto member) {
    return [member](const CellResult& cell) { return plain(field_to_json((*cell.shape).*member)); };
  };
  const auto layers = [](const CellResult& cell) {
    const std::int64_t encoder = cell.shape->encoder_layers, decoder = cell.shape->decoder_layers;
    return encoder == decoder ? plain(encoder) : plain(std::to_string(encoder) + "/" + std::to_string(decoder));
  };
  std::vector<Table3Column> columns = {
      {{"N", "N", false, "$N$"}, layers},
      {{"d_model", "d_model", false, "$d_{\\mathrm{model}}$"}, shape(&CellShape::d_model)},
      {{"d_ff", "d_ff", false, "$d_{\\mathrm{ff}}$"}, shape(&CellShape::d_ff)},
      {{"h", "h", false, "$h$"}, shape(&CellShape::num_heads)},
      {{"d_k", "d_k", false, "$d_k$"}, shape(&CellShape::d_k)},
      {{"d_v", "d_v", false, "$d_v$"}, shape(&CellShape::d_v)},
      {{"P_drop", "P_drop", false, "$P_{drop}$"}, shape(&CellShape::dropout)},
      {{"eps_ls", "eps_ls", false, "$\\epsilon_{ls}$"}, shape(&CellShape::label_smoothing)}};
  std::set<std::string> hidden;
  for (const CellResult& cell : results.cells) {
    const json point = hidden_point(cell);
    for (const auto& [axis, value] : point.items()) hidden.insert(axis);
  }
  for (const std::string& axis : hidden) {
    columns.push_back(
        {{axis, axis}, [axis](const CellResult& cell) { return plain(cell.point.value(axis, json(nullptr))); }});
  }
  const auto steps = [](const CellResult& cell) {
    return TableCell{steps_text(cell.validation.updates), number(cell.validation.updates)};
  };
  const auto ppl = [](const CellResult& cell) {
    return TableCell{fixed_text(cell.validation.ppl, 2), number(cell.validation.ppl)};
  };
  const auto bleu = [](const CellResult& cell) {
    return TableCell{fixed_text(cell.validation.bleu, 1), number(cell.validation.bleu)};
  };
  const auto parameters = [](const CellResult& cell) {
    return TableCell{millions_text(cell.parameters), field_to_json(cell.parameters)};
  };
  columns.push_back({{"train_steps", "train steps"}, steps});
  columns.push_back({{"ppl_dev", "PPL (dev)"}, ppl, true});
  columns.push_back({{"bleu_dev", "BLEU (dev)"}, bleu, true});
  columns.push_back({{"parameters", "params x10^6", false, "params $\\times 10^6$"}, parameters});
  return columns;
}

std::vector<TableCell> row_of(const CellResult& cell, const CellResult& base, const std::string& label,
                              const std::vector<Table3Column>& columns) {
  std::vector<TableCell> row = {{label, label}};
  for (const Table3Column& column : columns) {
    TableCell shown = column.cell(cell);
    if (&cell != &base && !column.always && shown.text == column.cell(base).text) shown.text = "";
    row.push_back(std::move(shown));
  }
  return row;
}

/// "greedy", "beam" or both: how validations translated.
std::string search_words(const SweepResults& results) {
  std::set<std::string> words;
  for (const CellResult& cell : results.cells) {
    if (cell.finished > 0 && cell.config.contains("train"))
      words.insert(text_at(cell.config["train"], "validation_bleu"));
  }
  return join(std::vector<std::string>(words.begin(), words.end()), " or ");
}

}  // namespace

Table table3(const SweepResults& results) {
  Table table{.title = "As Table 3 of \"Attention Is All You Need\"", .columns = {{"row", "", true}}, .rows = {}};
  const std::vector<Table3Column> columns = columns_of(results);
  for (const Table3Column& column : columns) table.columns.push_back(column.column);
  if (results.cells.empty() || !results.cells[results.baseline].shape) return table;
  const CellResult& base = results.cells[results.baseline];
  const std::array<std::pair<Group, const char*>, 4> groups = {
      {{Group::base, "base"}, {Group::a, "(A)"}, {Group::b, "(B)"}, {Group::other, "(others)"}}};
  for (const auto& [group, name] : groups) {
    std::string label = name;
    for (const CellResult& cell : results.cells) {
      if (!cell.shape || group_of(cell, base) != group) continue;
      if (!label.empty()) table.rules.push_back(table.rows.size());
      auto row = row_of(cell, base, label, columns);
      row[0].value = name;
      table.rows.push_back(std::move(row));
      label.clear();  // stands at the first row of a group only
    }
  }
  if (!table.rules.empty()) table.rules.erase(table.rules.begin());  // the head has a line below it
  return table;
}

std::vector<std::string> table3_notes(const SweepResults& results) {
  std::vector<std::string> notes = {
      "Empty: as in the row `base`. (A): the same h*d_k divided among other numbers of heads. (B): only the heads' "
      "width "
      "differs.",
      "PPL (dev): per subword on the validation split, exp of the loss without label smoothing, of the best validation "
      "of each run; from the seeds' mean loss."};
  const bool translated =
      std::ranges::any_of(results.cells, [](const CellResult& cell) { return std::isfinite(cell.validation.bleu); });
  if (!translated) {
    notes.emplace_back("BLEU (dev): not known, the validations did not translate (train.validation_bleu).");
    return notes;
  }
  const std::string signature =
      texts_of_tests(results, [](const TestReport& t) { return text_at(t.bleu, "signature"); });
  notes.push_back("BLEU (dev): on the validation split by " + search_words(results) +
                  " search, of the same validation; mean over seeds" +
                  (signature.empty() ? "." : "; " + signature + "."));
  return notes;
}

}  // namespace mha
