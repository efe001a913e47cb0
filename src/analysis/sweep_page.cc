#include "analysis/sweep_page.h"

#include "analysis/head_line.h"
#include "analysis/pareto.h"
#include "analysis/significance_json.h"
#include "analysis/sweep_notes.h"
#include "analysis/sweep_table.h"
#include "analysis/table3.h"
#include "base/error.h"
#include "base/text.h"
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

void check(const PageOptions& options) {
  if (options.format != TableFormat::csv || !options.like_table3 || !options.phenomena) return;
  throw UserError(
      "--like table3 and --phenomena are two tables, and csv holds one: leave one out, or take another "
      "--format");
}

/// On a line each: they hold messages and paths, and a comment of LaTeX or a list of Markdown ends with its line.
std::vector<std::string> lines_of(std::vector<std::string> texts) {
  for (std::string& text : texts) text = one_line(text);
  return texts;
}

std::vector<std::string> notes_of(const SweepResults& results, const SweepComparison& comparison,
                                  const PageOptions& options) {
  return lines_of(options.like_table3 ? table3_notes(results) : sweep_notes(results, comparison));
}

/// Escaped but for code spans, which are meant: a command line, `better`. Odd backticks make none.
std::string markdown_line(const std::string& text) {
  const std::vector<std::string> parts = split(text, '`');
  if (parts.size() % 2 == 0) return markdown_escape(text);
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool code = i % 2 == 1;
    if (code && parts[i].empty()) return markdown_escape(text);
    out += code ? "`" + parts[i] + "`" : markdown_escape(parts[i]);
  }
  return out;
}

Page page_of(const SweepResults& results, const SweepComparison& comparison, const PageOptions& options) {
  Page page{.title = results.sweep.name.empty() ? "Sweep" : "Sweep " + one_line(results.sweep.name),
            .head_line = one_line(head_line(results, comparison)),
            .description = lines_of(sweep_description(results)),
            .notes = notes_of(results, comparison, options),
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
  for (const std::string& line : page.description) out += "- " + markdown_line(line) + "\n";
  out += "\n**" + markdown_escape(page.head_line) + "**\n";
  for (std::size_t i = 0; i < page.tables.size(); ++i) {
    out += "\n" + (i > 0 ? "## " + page.tables[i].title + "\n\n" : "") + markdown_table(page.tables[i]);
  }
  if (!page.notes.empty()) out += "\n## What is counted\n\n";
  for (const std::string& note : page.notes) out += "- " + markdown_line(note) + "\n";
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
              {"baseline_stands_in", results.baseline_stands_in},
              {"head_line", head_line(results, comparison)},
              {"notes", notes_of(results, comparison, options)},
              {"significance", significance_json(comparison)}};
  if (options.like_table3) out["rows"] = json_rows(table3(results));
  out["cells"] = field_to_json(results.cells);
  return out;
}

}  // namespace

std::string sweep_page(const SweepResults& results, const SweepComparison& comparison, const PageOptions& options) {
  check(options);
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
  check(options);
  SweepResults results = collect_sweep(folder);
  mark_fronts(results.cells);
  return sweep_page(results, compare_with_baseline(results), options);
}

}  // namespace mha
