#include "analysis/comparison_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "config/fields.h"

namespace mha {
namespace {

using Cells = std::array<std::string, 6>;
constexpr std::array<const char*, 6> kColumns = {"metric", "base", "new", "change", "tolerance", "verdict"};

std::string number(const GateMetric& metric, double value) {
  if (!std::isfinite(value)) return "null";
  if (metric.digits > 0) return format_fixed(value, metric.digits);
  return format_count(std::llround(value));
}

std::string shown(const GateMetric& metric, const std::optional<double>& value) {
  return value ? number(metric, *value) : "-";
}

std::string with_sign(double value, const std::string& text) { return (value >= 0 ? "+" : "") + text; }

std::string change_text(const GateRow& row) {
  if (!row.has_change()) return "-";
  const double change = *row.candidate - *row.base;
  return with_sign(change, amount_text(row, change));
}

std::string verdict_text(const GateRow& row) {
  return (row.verdict == GateVerdict::fail ? "FAIL" : to_string(row.verdict)) + (row.why.empty() ? "" : ": " + row.why);
}

Cells cells_of(const GateRow& row) {
  return {std::string(row.metric->name),
          shown(*row.metric, row.base),
          shown(*row.metric, row.candidate),
          change_text(row),
          row.tolerance ? row.tolerance->text() : "-",
          verdict_text(row)};
}

/// "paired bootstrap of BLEU: …", or empty without one.
std::string bootstrap_text(const PairedBleu& paired) {
  if (!paired.test) return "";
  const PairedBootstrap& test = *paired.test;
  const auto signed_fixed = [](double value) { return with_sign(value, format_fixed(value, 2)); };
  return "BLEU changed by " + signed_fixed(test.difference) + ", 95 % interval [" + signed_fixed(test.interval.low) +
         ", " + signed_fixed(test.interval.high) + "], p = " + format_fixed(test.p, 4) + " (paired bootstrap, " +
         format_count(paired.resamples) + " resamples): " +
         (test.p < kGateSignificance ? "more than the choice of test sentences explains"
                                     : "not told from the choice of test sentences");
}

std::string side_text(const GateSide& side) {
  const Scorecard& card = side.card;
  return side.origin + (card.name.empty() ? ""
                                          : " (" + card.name + (card.seed ? ", seed " : "") +
                                                (card.seed ? std::to_string(*card.seed) : "") + ")");
}

/// Text that Markdown shows as it is, in a cell too.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += ' ';
      continue;
    }
    if (std::string_view("\\|`*_<>[]#~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

json number_json(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? json(*value) : json(nullptr);
}

json row_json(const GateRow& row) {
  json tolerance = nullptr;
  if (row.tolerance) tolerance = {{"amount", row.tolerance->amount}, {"percent", row.tolerance->percent}};
  return {{"metric", row.metric->name},
          {"unit", row.metric->unit},
          {"base", number_json(row.base)},
          {"new", number_json(row.candidate)},
          {"change", row.has_change() ? number_json(*row.candidate - *row.base) : json(nullptr)},
          {"tolerance", tolerance},
          {"verdict", to_string(row.verdict)},
          {"why", row.why}};
}

json side_json(const GateSide& side) {
  return {{"given", side.origin},
          {"name", side.card.name},
          {"seed", side.card.seed ? json(*side.card.seed) : json(nullptr)},
          {"version", side.card.version}};
}

json bootstrap_json(const PairedBleu& paired) {
  if (!paired.test) return nullptr;
  const PairedBootstrap& test = *paired.test;
  return {{"metric", "bleu"},
          {"difference", test.difference},
          {"low", test.interval.low},
          {"high", test.interval.high},
          {"p", test.p},
          {"p_sacrebleu", test.p_sacrebleu},
          {"resamples", paired.resamples}};
}

}  // namespace

std::string amount_text(const GateRow& row, double amount) {
  std::string text = number(*row.metric, amount);
  if (*row.base != 0) text += " (" + format_fixed(100 * amount / std::abs(*row.base), 1) + " %)";
  return text;
}

std::string headline(const Comparison& comparison) {
  std::vector<std::string> failures;
  std::int64_t passes = 0;
  for (const GateRow& row : comparison.rows) {
    if (row.verdict == GateVerdict::fail) failures.push_back(std::string(row.metric->name) + " " + row.why);
    passes += row.verdict == GateVerdict::pass ? 1 : 0;
  }
  if (!failures.empty()) return "FAIL: " + join(failures, "; ");
  return "PASS: " + format_count(passes) + (passes == 1 ? " metric" : " metrics") + " within tolerance";
}

std::string comparison_text(const Comparison& comparison) {
  std::vector<Cells> table = {Cells{}};
  std::ranges::copy(kColumns, table.front().begin());
  for (const GateRow& row : comparison.rows) table.push_back(cells_of(row));
  std::array<std::size_t, kColumns.size()> widths{};
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string out = "base  " + side_text(comparison.base) + "\nnew   " + side_text(comparison.candidate) + "\n\n";
  for (const Cells& cells : table) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string blanks(widths[i] - cells[i].size(), ' ');
      const bool is_number = i >= 1 && i <= 4;
      out += (i > 0 ? "  " : "") + (is_number ? blanks + cells[i] : cells[i] + (i + 1 < cells.size() ? blanks : ""));
    }
    out += "\n";
  }
  out += "\n";
  if (const std::string bootstrap = bootstrap_text(comparison.paired); !bootstrap.empty()) out += bootstrap + "\n";
  for (const std::string& note : comparison.notes) out += note + "\n";
  return out + headline(comparison) + "\n";
}

std::string comparison_markdown(const Comparison& comparison) {
  std::string out = "### " + escaped(headline(comparison)) + "\n\nBase " + escaped(side_text(comparison.base)) +
                    ", new " + escaped(side_text(comparison.candidate)) + ".\n\n|";
  for (const char* column : kColumns) out += " " + std::string(column) + " |";
  out += "\n|---|---:|---:|---:|---:|---|\n";
  for (const GateRow& row : comparison.rows) {
    out += "|";
    for (const std::string& cell : cells_of(row)) out += " " + escaped(cell) + " |";
    out += "\n";
  }
  if (const std::string bootstrap = bootstrap_text(comparison.paired); !bootstrap.empty())
    out += "\n" + escaped(bootstrap) + ".\n";
  for (const std::string& note : comparison.notes) out += "\n" + escaped(note) + ".\n";
  return out;
}

json comparison_to_json(const Comparison& comparison) {
  json metrics = json::array();
  for (const GateRow& row : comparison.rows) metrics.push_back(row_json(row));
  return {{"format", "mha-train/comparison"},
          {"format_version", 1},
          {"passed", comparison.passed()},
          {"headline", headline(comparison)},
          {"base", side_json(comparison.base)},
          {"new", side_json(comparison.candidate)},
          {"metrics", metrics},
          {"paired_bootstrap", bootstrap_json(comparison.paired)},
          {"notes", comparison.notes}};
}

}  // namespace mha
