#include "metrics/score.h"

#include <cstdlib>

#include "base/error.h"
#include "base/text.h"

namespace mha {

std::string ScoreText::signature() const {
  std::string out;
  for (const auto& [key, value] : fields) out += key + ":" + value + "|";
  return out + "version:" + std::string(kSacrebleuVersion);
}

std::string ScoreText::format(int width) const {
  const std::string line = name + "|" + signature() + " = " + format_fixed(score, width);
  return verbose.empty() ? line : line + " " + verbose;
}

json ScoreText::to_json(std::optional<int> width) const {
  json out;
  out["name"] = name;
  out["score"] = width ? std::strtod(format_fixed(score, *width).c_str(), nullptr) : score;
  out["signature"] = signature();
  if (!verbose.empty()) out["verbose_score"] = verbose;
  for (const auto& [key, value] : fields) out[key] = value;
  out["version"] = kSacrebleuVersion;
  out["implementation"] = "mha-train";
  return out;
}

void check_line_counts(const std::vector<std::string>& hypotheses, const References& references) {
  if (references.empty()) throw UserError("no reference given; a score needs at least one");
  const auto lines = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " line" : " lines"); };
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (references[i].size() == hypotheses.size()) continue;
    throw UserError("the hypotheses have " + lines(hypotheses.size()) + " but reference " + std::to_string(i + 1) +
                    " has " + lines(references[i].size()) +
                    "; line n of one belongs to line n of the other: look for lost, doubled or trailing empty lines");
  }
  if (hypotheses.empty()) throw UserError("no lines to score: hypotheses and references have 0 lines each");
}

}  // namespace mha
