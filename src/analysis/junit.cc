#include "analysis/junit.h"

#include <algorithm>
#include <string_view>

#include "analysis/comparison_text.h"
#include "base/text.h"
#include "config/fields.h"

namespace mha {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool is_xml_character(char32_t c) {
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c != 0xFFFE && c != 0xFFFF);
}

void append_escaped(std::string& out, char32_t c) {
  switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&apos;";
      break;
    case '\t':
    case '\n':
    case '\r':
      out += "&#" + std::to_string(static_cast<unsigned>(c)) + ";";  // an attribute would turn it into a space
      break;
    default:
      append_utf8(out, is_xml_character(c) ? c : kReplacement);
  }
}

std::string attribute(const std::string& name, const std::string& value) {
  return " " + name + "=\"" + xml_escaped(value) + "\"";
}

std::string counts(const Comparison& comparison) {
  const auto count = [&](GateVerdict verdict) {
    return std::to_string(std::ranges::count(comparison.rows, verdict, &GateRow::verdict));
  };
  const auto skipped = std::ranges::count(comparison.rows, GateVerdict::not_gated, &GateRow::verdict) +
                       std::ranges::count(comparison.rows, GateVerdict::not_comparable, &GateRow::verdict);
  return attribute("tests", std::to_string(comparison.rows.size())) + attribute("failures", count(GateVerdict::fail)) +
         attribute("errors", "0") + attribute("skipped", std::to_string(skipped)) + attribute("time", "0");
}

std::string test_case(const GateRow& row) {
  const std::string open = "    <testcase" + attribute("classname", "mha-train.compare") +
                           attribute("name", std::string(row.metric->name)) + attribute("time", "0");
  if (row.verdict == GateVerdict::pass) return open + "/>\n";
  const std::string why = row.why.empty() ? "no tolerance was given for it" : row.why;
  const std::string element = row.verdict == GateVerdict::fail
                                  ? "<failure" + attribute("message", std::string(row.metric->name) + " " + why) +
                                        attribute("type", "regression") + ">" + xml_escaped(why) + "</failure>"
                                  : "<skipped" + attribute("message", to_string(row.verdict) + ": " + why) + "/>";
  return open + ">\n      " + element + "\n    </testcase>\n";
}

}  // namespace

std::string xml_escaped(const std::string& text) {
  const std::string valid = replace_invalid_utf8(text);
  std::string out;
  for (std::size_t at = 0; at < valid.size();) append_escaped(out, next_code_point(valid, at));
  return out;
}

std::string comparison_junit(const Comparison& comparison) {
  const std::string name = "mha-train compare " + comparison.base.origin + " " + comparison.candidate.origin;
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts(comparison) + ">\n  <testsuite" +
                    attribute("name", name) + counts(comparison) + ">\n";
  for (const GateRow& row : comparison.rows) out += test_case(row);
  return out + "    <system-out>" + xml_escaped(comparison_text(comparison)) + "</system-out>\n  </testsuite>\n" +
         "</testsuites>\n";
}

}  // namespace mha
