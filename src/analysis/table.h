#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace mha {

enum class TableFormat { text, markdown, latex, csv, json_text };
constexpr std::array<std::string_view, 5> enum_names(TableFormat) {
  return {"text", "markdown", "latex", "csv", "json"};
}

struct TableColumn {
  std::string key, heading;  // key: the name in CSV and JSON
  bool left = false;         // aligned left: words
  std::string latex = "";    // the heading as LaTeX code, if not the escaped one
};

/// What a person is shown and what a machine reads.
struct TableCell {
  std::string text;
  json value;
};

/// A table as plain data. Every row has a cell for each column.
struct Table {
  std::string title;
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows;
  std::vector<std::size_t> rules = {};  // rows with a line above them
};

/// Aligned columns, two spaces apart.
std::string text_table(const Table& table);
/// GitHub's pipe table.
std::string markdown_table(const Table& table);
/// A `tabular` that needs no package.
std::string latex_table(const Table& table);
/// RFC 4180 with line feeds: keys, then values in full precision; null is empty, the items of a list stand between
/// semicolons.
std::string csv_table(const Table& table);
/// A list of objects with the columns' keys.
json json_rows(const Table& table);

/// A blank in place of line breaks and other control characters, with the indentation that follows them.
std::string one_line(std::string_view text);

/// Text with everything escaped that LaTeX or Markdown would take for its own.
std::string latex_escape(std::string_view text);
std::string markdown_escape(std::string_view text);
/// Quoted if it must be.
std::string csv_field(std::string_view text);

}  // namespace mha
