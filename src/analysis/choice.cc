#include "analysis/choice.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "analysis/sweep_figures.h"
#include "base/error.h"
#include "base/text.h"
#include "report/field_json.h"
#include "report/run_folder.h"

namespace mha {
namespace {

/// What the size depends on besides the model; empty for parameters.
std::string measured_on(const CellResult& cell, Smallest smallest) {
  if (smallest == Smallest::params) return "";
  return smallest == Smallest::memory ? cell.measured_on
                                      : "decoding by the " + cell.decode_path + " path; " + cell.measured_on;
}

std::string size_text(const CellResult& cell, Smallest smallest) {
  const double size = size_of(cell, smallest);
  if (!std::isfinite(size)) return "-";
  switch (smallest) {
    case Smallest::params:
      return format_count(std::llround(size)) + " parameters";
    case Smallest::memory:
      return format_bytes(std::llround(size)) + " of memory";
    case Smallest::latency:
      break;
  }
  return format_fixed(1000 * size, 2) + " ms a sentence";
}

std::string cell_line(const CellResult& cell, Smallest smallest) {
  return cell.cell + "  " + bleu_text(cell) + ", " + size_text(cell, smallest);
}

/// Copies the value at a dotted path, if the source has one.
void copy_path(const json& from, std::string_view path, json& to) {
  const std::size_t dot = path.find('.');
  const std::string key(path.substr(0, dot));
  if (!from.is_object() || !from.contains(key) || !to.is_object()) return;
  if (dot == std::string_view::npos) {
    to[key] = from[key];
  } else {
    copy_path(from[key], path.substr(dot + 1), to[key]);
  }
}

/// Whatever the size that decides.
std::optional<LeftOut> why_left_out(const CellResult& cell) {
  if (!cell.same_test) return LeftOut::other_test;
  if (cell.finished == 0) return LeftOut::no_run;
  if (cell.finished < cell.seeds) return LeftOut::lacks_seeds;
  return std::isfinite(cell.bleu.mean) ? std::nullopt : std::optional(LeftOut::no_bleu);
}

std::vector<std::string> names(const SweepResults& results, const std::vector<std::size_t>& cells) {
  std::vector<std::string> out;
  for (const std::size_t i : cells) out.push_back(results.cells[i].cell);
  return out;
}

}  // namespace

double parse_bleu_margin(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (error == std::errc() && (unit.empty() || unit == "bleu") && std::isfinite(value) && value >= 0) return value;
  throw UserError("--within takes BLEU points, such as 0.3bleu, not \"" + text + "\"");
}

double size_of(const CellResult& cell, Smallest smallest) {
  switch (smallest) {
    case Smallest::params:
      return cell.parameters ? static_cast<double>(*cell.parameters) : kUnknown;
    case Smallest::memory:
      return cell.peak_resident_bytes ? static_cast<double>(*cell.peak_resident_bytes) : kUnknown;
    case Smallest::latency:
      break;
  }
  return cell.latency;
}

Choice choose_cell(const SweepResults& results, double margin, Smallest smallest) {
  Choice choice;
  const auto& cells = results.cells;
  std::vector<std::size_t> complete;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (const auto why = why_left_out(cells[i])) {
      choice.left_out[*why].push_back(i);
    } else {
      complete.push_back(i);
    }
  }
  if (complete.empty()) {
    throw UserError("no cell of the sweep has a test BLEU of every planned seed: see `mha-train table`" +
                    std::string(choice.left_out.contains(LeftOut::lacks_seeds) ? "; let the sweep finish" : ""));
  }
  const auto bleu = [&](std::size_t i) { return cells[i].bleu.mean; };
  choice.best = *std::ranges::max_element(complete, {}, bleu);
  // A margin of 0.3 takes in 39.7 beside 40.0, whatever the rounding.
  const double least = bleu(choice.best) - margin - 1e-9;
  std::ranges::copy_if(complete, std::back_inserter(choice.within), [&](std::size_t i) { return bleu(i) >= least; });
  std::vector<std::size_t> sized;
  for (const std::size_t i : choice.within) {
    (std::isfinite(size_of(cells[i], smallest)) ? sized : choice.left_out[LeftOut::no_size]).push_back(i);
  }
  if (sized.empty()) throw UserError("the reports of these cells do not say their " + to_string(smallest));
  choice.chosen = *std::ranges::min_element(
      sized, {}, [&](std::size_t i) { return std::pair(size_of(cells[i], smallest), -bleu(i)); });
  std::set<std::string> measured;
  for (const std::size_t i : sized) measured.insert(measured_on(cells[i], smallest));
  if (measured.size() > 1) choice.unlike.assign(measured.begin(), measured.end());
  return choice;
}

json config_to_keep(const SweepResults& results, const CellResult& cell) {
  json config = cell.config;
  for (const NeutralKey& key : neutral_keys()) copy_path(results.sweep.base, key.path, config);
  config.erase("seed");
  config.erase("run_dir");
  return config;
}

std::string choice_text(const SweepResults& results, const Choice& choice, double margin, Smallest smallest) {
  const CellResult& chosen = results.cells[choice.chosen];
  std::string out = cell_line(chosen, smallest) + "\n";
  out += "the smallest by " + to_string(smallest) + " of " + std::to_string(choice.within.size()) +
         (choice.within.size() == 1 ? " cell" : " cells") + " within " + format_fixed(margin, 2) +
         " BLEU of the best, " + cell_line(results.cells[choice.best], smallest) + "\n";
  if (chosen.seeds < 2) out += "at one seed: another training of the same cell may score otherwise\n";
  for (const auto& [why, cells] : choice.left_out) {
    out += "left out, " + to_string(why) + ": " + join(names(results, cells), " | ") + "\n";
  }
  if (!choice.unlike.empty()) {
    out += "the sizes were not measured alike: " + join(choice.unlike, " | ") + "\n";
  }
  return out;
}

json choice_json(const SweepResults& results, const Choice& choice, double margin, Smallest smallest) {
  json left_out = json::array();
  for (const auto& [why, cells] : choice.left_out) {
    for (const std::string& cell : names(results, cells)) left_out.push_back({{"cell", cell}, {"why", to_string(why)}});
  }
  json result = field_to_json(results.cells[choice.chosen]);
  for (const char* key : {"against_baseline", "fronts"}) result.erase(key);
  return {{"cell", results.cells[choice.chosen].cell},
          {"smallest", to_string(smallest)},
          {"within_bleu", margin},
          {"best", results.cells[choice.best].cell},
          {"within", names(results, choice.within)},
          {"left_out", left_out},
          {"measured_on", choice.unlike},
          {"result", result},
          {"config", config_to_keep(results, results.cells[choice.chosen])}};
}

}  // namespace mha
