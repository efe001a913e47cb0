#include "analysis/table.h"

#include <algorithm>

#include "base/text.h"

namespace mha {
namespace {

/// Code points, as many as a terminal shows columns for the letters that tables hold.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string space(width - std::min(width, width_of(text)), ' ');
  return left ? text + space : space + text;
}

/// "a, b, c" for each row, headings first, with a separator and an ending; `shown` makes the text of a cell.
template <class Shown>
std::string joined(const std::vector<std::string>& cells, std::string_view separator, Shown shown) {
  std::vector<std::string> parts;
  parts.reserve(cells.size());
  for (const std::string& cell : cells) parts.push_back(shown(cell));
  return join(parts, separator);
}

std::vector<std::string> headings(const Table& table) {
  std::vector<std::string> out;
  for (const TableColumn& column : table.columns) out.push_back(column.heading);
  return out;
}

std::vector<std::string> texts(const std::vector<TableCell>& row) {
  std::vector<std::string> out;
  for (const TableCell& cell : row) out.push_back(one_line(cell.text));
  return out;
}

bool has_rule(const Table& table, std::size_t row) { return std::ranges::find(table.rules, row) != table.rules.end(); }

std::string without_trailing_space(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string csv_value(const json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return dump_json(value, -1);
  std::vector<std::string> items;
  for (const json& item : value) items.push_back(csv_value(item));
  return join(items, "; ");
}

using Replacements = std::vector<std::pair<char, std::string_view>>;

std::string escaped(std::string_view text, const Replacements& replacements) {
  std::string out;
  for (const char c : text) {
    const auto found = std::ranges::find(replacements, c, &Replacements::value_type::first);
    if (found == replacements.end()) {
      out += c;
    } else {
      out += found->second;
    }
  }
  return out;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string out;
  bool broken = false;
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < ' ' || c == '\x7F';
    if (control || (broken && c == ' ')) {
      broken = true;
      continue;
    }
    if (broken && !out.empty() && out.back() != ' ') out += ' ';
    broken = false;
    out += c;
  }
  return out;
}

std::string text_table(const Table& table) {
  std::vector<std::size_t> widths;
  for (const TableColumn& column : table.columns) widths.push_back(width_of(column.heading));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i].text));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < cells.size(); ++i) parts.push_back(padded(cells[i], widths[i], table.columns[i].left));
    return without_trailing_space(join(parts, "  ")) + "\n";
  };
  std::size_t total = 2 * (widths.empty() ? 0 : widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  const std::string rule = std::string(total, '-') + "\n";
  std::string out = line(headings(table)) + rule;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (has_rule(table, i)) out += rule;
    out += line(texts(table.rows[i]));
  }
  return out;
}

std::string markdown_table(const Table& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    return "| " + joined(cells, " | ", markdown_escape) + " |\n";
  };
  std::string out = line(headings(table)) + "|";
  for (const TableColumn& column : table.columns) out += column.left ? "---|" : "---:|";
  out += "\n";
  for (const auto& row : table.rows) out += line(texts(row));
  return out;
}

std::string latex_table(const Table& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    return joined(cells, " & ", latex_escape) + " \\\\\n";
  };
  std::string out = "\\begin{tabular}{";
  std::vector<std::string> heads;
  for (const TableColumn& column : table.columns) {
    out += column.left ? 'l' : 'r';
    heads.push_back(column.latex.empty() ? latex_escape(column.heading) : column.latex);
  }
  out += "}\n\\hline\n" + join(heads, " & ") + " \\\\\n\\hline\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (has_rule(table, i)) out += "\\hline\n";
    out += line(texts(table.rows[i]));
  }
  return out + "\\hline\n\\end{tabular}\n";
}

std::string csv_table(const Table& table) {
  std::vector<std::string> fields;
  for (const TableColumn& column : table.columns) fields.push_back(column.key);
  std::string out = joined(fields, ",", csv_field) + "\n";
  for (const auto& row : table.rows) {
    fields.clear();
    for (const TableCell& cell : row) fields.push_back(csv_value(cell.value));
    out += joined(fields, ",", csv_field) + "\n";
  }
  return out;
}

json json_rows(const Table& table) {
  json rows = json::array();
  for (const auto& row : table.rows) {
    json object = json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i].key] = row[i].value;
    rows.push_back(std::move(object));
  }
  return rows;
}

std::string latex_escape(std::string_view text) {
  return escaped(text, {{'\\', "\\textbackslash{}"},
                        {'&', "\\&"},
                        {'%', "\\%"},
                        {'$', "\\$"},
                        {'#', "\\#"},
                        {'_', "\\_"},
                        {'{', "\\{"},
                        {'}', "\\}"},
                        {'~', "\\textasciitilde{}"},
                        {'^', "\\textasciicircum{}"},
                        {'<', "\\textless{}"},
                        {'>', "\\textgreater{}"},
                        {'|', "\\textbar{}"}});
}

std::string markdown_escape(std::string_view text) {
  return escaped(text,
                 {{'\\', "\\\\"}, {'|', "\\|"}, {'*', "\\*"}, {'_', "\\_"}, {'`', "\\`"}, {'<', "&lt;"}, {'[', "\\["}});
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace mha
