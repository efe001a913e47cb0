#include "analysis/sweep_page.h"

#include "analysis/head_line.h"
#include "analysis/pareto.h"
#include "analysis/sweep_notes.h"
#include "analysis/sweep_table.h"
#include "analysis/table3.h"
#include "report/field_json.h"
#include "report/run_report.h"

namespace mha {
namespace {

constexpr const char* kTableFormat = "mha-train/table";
constexpr std::int64_t kTableFormatVersion = 1;

/// The parts of the document, whatever it is written in.
struct Page {
  std::string title, head_line;
  std::vector<std::string> description, notes;
  std::vector<Table> tables;  // the first without its title
};

Page page_of(const SweepResults& results, const SweepComparison& comparison, const PageOptions& options) {
  Page page{.title = results.sweep.name.empty() ? "Sweep" : "Sweep " + results.sweep.name,
            .head_line = head_line(results, comparison),
            .description = sweep_description(results),
            .notes = options.like_table3 ? table3_notes(results) : sweep_notes(results, comparison),
            .tables = {options.like_table3 ? table3(results) : sweep_table(results)}};
  if (options.phenomena) page.tables.push_back(phenomena_table(results));
  Table unfinished = unfinished_table(results);
  if (!unfinished.rows.empty()) page.tables.push_back(std::move(unfinished));
  return page;
}

std::string text_page(const Page& page) {
  std::string out = page.title + "\n";
  for (const std::string& line : page.description) out += line + "\n";
  out += "\n" + page.head_line + "\n";
  for (std::size_t i = 0; i < page.tables.size(); ++i) {
    out += "\n" + (i > 0 ? page.tables[i].title + "\n" : "") + text_table(page.tables[i]);
  }
  if (!page.notes.empty()) out += "\n";
  for (const std::string& note : page.notes) out += note + "\n";
  return out;
}

std::string markdown_page(const Page& page) {
  std::string out = "# " + markdown_escape(page.title) + "\n\n";
  // Code spans of these lines are meant: a command line, `better`.
  for (const std::string& line : page.description) out += "- " + line + "\n";
  out += "\n**" + markdown_escape(page.head_line) + "**\n";
  for (std::size_t i = 0; i < page.tables.size(); ++i) {
    out += "\n" + (i > 0 ? "## " + page.tables[i].title + "\n\n" : "") + markdown_table(page.tables[i]);
  }
  if (!page.notes.empty()) out += "\n## What is counted\n\n";
  for (const std::string& note : page.notes) out += "- " + note + "\n";
  return out;
}

std::string latex_page(const Page& page) {
  std::string out;
  for (std::size_t i = 0; i < page.tables.size(); ++i) {
    const Table& table = page.tables[i];
    if (i > 0) out += "\n";
    out += "\\begin{table}\n\\centering\n" + latex_table(table) + "\\caption{" +
           latex_escape(i == 0 ? page.head_line : table.title) + "}\n\\end{table}\n";
  }
  for (const std::string& note : page.notes) out += "% " + note + "\n";
  return out;
}

json page_json(const SweepResults& results, const SweepComparison& comparison, const PageOptions& options) {
  json out = {{kFormatKey, kTableFormat},
              {kFormatVersionKey, kTableFormatVersion},
              {"name", results.sweep.name},
              {"command", results.sweep.command},
              {"hold", results.sweep.hold},
              {"axes", results.sweep.axes},
              {"baseline", results.cells.empty() ? "" : results.cells[results.baseline].cell},
              {"head_line", head_line(results, comparison)},
              {"notes", options.like_table3 ? table3_notes(results) : sweep_notes(results, comparison)}};
  if (options.like_table3) {
    out["rows"] = json_rows(table3(results));
  } else {
    out["cells"] = field_to_json(results.cells);
  }
  return out;
}

}  // namespace

std::string sweep_page(const SweepResults& results, const SweepComparison& comparison, const PageOptions& options) {
  switch (options.format) {
    case TableFormat::csv:
      return csv_table(options.phenomena     ? phenomena_table(results)
                       : options.like_table3 ? table3(results)
                                             : flat_sweep_table(results));
    case TableFormat::json_text:
      return dump_json(page_json(results, comparison, options)) + "\n";
    case TableFormat::latex:
      return latex_page(page_of(results, comparison, options));
    case TableFormat::markdown:
      return markdown_page(page_of(results, comparison, options));
    case TableFormat::text:
      break;
  }
  return text_page(page_of(results, comparison, options));
}

std::string sweep_page(const std::filesystem::path& folder, const PageOptions& options) {
  SweepResults results = collect_sweep(folder);
  mark_fronts(results.cells);
  return sweep_page(results, compare_with_baseline(results), options);
}

}  // namespace mha
