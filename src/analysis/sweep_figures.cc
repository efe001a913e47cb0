#include "analysis/sweep_figures.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "config/fields.h"

namespace mha {

std::string fixed_text(double value, int digits) { return std::isfinite(value) ? format_fixed(value, digits) : "-"; }

std::string rounded_text(double value) { return std::isfinite(value) ? format_count(std::llround(value)) : "-"; }

std::string count_text(const std::optional<std::int64_t>& value) { return value ? format_count(*value) : "-"; }

std::string flops_text(double flops) {
  if (!std::isfinite(flops)) return "-";
  const double millions = flops / 1e6;
  return format_fixed(millions, millions < 10 ? 2 : millions < 100 ? 1 : 0) + "M";
}

std::string bleu_text(const CellResult& cell) {
  return fixed_text(cell.bleu.mean, 2) + " BLEU (" + std::to_string(cell.finished) +
         (cell.finished == 1 ? " seed" : " seeds, sd " + fixed_text(cell.bleu.sd, 2)) + ")";
}

std::string p_text(double p) { return std::isfinite(p) && p < 0.001 ? "<0.001" : fixed_text(p, 3); }

std::string words_of(SweepRunStatus status) {
  std::string words = to_string(status);
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string counted(std::int64_t n, const std::string& one) {
  return format_count(n) + " " + one + (n == 1 ? "" : "s");
}

std::string axis_text(const json& value) { return value.is_string() ? value.get<std::string>() : dump_json(value, -1); }

std::string text_at(const json& object, const char* key) {
  return object.is_object() && object.contains(key) ? axis_text(object[key]) : "?";
}

}  // namespace mha
