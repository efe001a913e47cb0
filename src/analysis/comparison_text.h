#pragma once

#include <string>

#include "analysis/comparison.h"
#include "base/json.h"

namespace mha {

/// "1.20 (1.3 %)": a change in the row's unit and in percent of its base.
std::string amount_text(const GateRow& row, double amount);

/// "FAIL: bleu fell by 1.20 (1.3 %), tolerance 0.5", or "PASS: 5 metrics within tolerance".
std::string headline(const Comparison& comparison);
/// Aligned columns, the paired bootstrap, the notes, the headline. Ends with a line feed.
std::string comparison_text(const Comparison& comparison);
/// The same for a comment on a pull request.
std::string comparison_markdown(const Comparison& comparison);
/// The same for machines: "format" and "format_version" first; numbers in full.
json comparison_to_json(const Comparison& comparison);

}  // namespace mha
