#include "analysis/tolerance.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "config/hints.h"

namespace mha {
namespace {

constexpr std::string_view kBlank = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

[[noreturn]] void fail(std::string_view entry, const std::string& what) {
  throw UserError("--tolerance " + std::string(entry) + ": " + what);
}

const GateMetric& metric_named(std::string_view entry, std::string_view name) {
  if (const GateMetric* metric = find_gate_metric(name)) return *metric;
  const std::vector<std::string> names = gate_metric_names();
  const std::string hint = hint_for_word(std::string(name), names);
  fail(entry, "there is no metric \"" + std::string(name) + "\"" + (hint.empty() ? "" : "; " + hint) + " (there are " +
                  join(names, ", ") + ")");
}

Tolerance parse_amount(const GateMetric& metric, std::string_view entry, std::string_view text) {
  const char harmful_sign = metric.harm == Harm::falls ? '-' : '+';
  Tolerance tolerance;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    if (text.front() != harmful_sign) {
      fail(entry, std::string(metric.name) + " gets worse when it " +
                      (metric.harm == Harm::falls ? "falls: leave the sign out or write -"
                                                  : "grows: leave the sign out or write +"));
    }
    text.remove_prefix(1);
  }
  if (text.ends_with('%')) {
    tolerance.percent = true;
    text = trimmed(text.substr(0, text.size() - 1));
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), tolerance.amount);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && std::isfinite(tolerance.amount);
  if (!is_number || std::signbit(tolerance.amount)) fail(entry, "must be METRIC=NUMBER or METRIC=NUMBER%, as bleu=0.5");
  const bool has_limit = metric.harm == Harm::falls && (tolerance.percent || metric.unit == "0 to 100");
  if (has_limit && tolerance.amount >= 100) {
    fail(entry, std::string(metric.name) + " cannot fall by more than 100" + (tolerance.percent ? " %" : "") +
                    ": this would never fail");
  }
  return tolerance;
}

}  // namespace

double Tolerance::allowed(double base) const { return percent ? std::abs(base) * amount / 100 : amount; }

std::string Tolerance::text() const {
  char digits[32];
  const auto written = std::to_chars(std::begin(digits), std::end(digits), amount);
  return std::string(std::begin(digits), written.ptr) + (percent ? "%" : "");
}

Tolerances parse_tolerances(std::string_view text) {
  Tolerances tolerances;
  for (const std::string& part : split(std::string(text), ',')) {
    const std::string_view entry = trimmed(part);
    const std::size_t equals = entry.find('=');
    if (entry.empty()) throw UserError("--tolerance \"" + std::string(text) + "\": an entry is empty");
    const std::string_view name = trimmed(entry.substr(0, equals));
    const GateMetric& metric = metric_named(entry, name);
    if (equals == std::string_view::npos) fail(entry, "must be METRIC=NUMBER or METRIC=NUMBER%, as bleu=0.5");
    const Tolerance tolerance = parse_amount(metric, entry, trimmed(entry.substr(equals + 1)));
    if (!tolerances.emplace(name, tolerance).second) fail(entry, "the metric is given twice");
  }
  return tolerances;
}

double harm_of(const GateMetric& metric, double base, double candidate) {
  return metric.harm == Harm::falls ? base - candidate : candidate - base;
}

bool is_within(const GateMetric& metric, const Tolerance& tolerance, double base, double candidate) {
  if (!std::isfinite(base) || !std::isfinite(candidate)) return false;
  const double rounding = 1e-12 * std::max(std::abs(base), std::abs(candidate));
  return harm_of(metric, base, candidate) <= tolerance.allowed(base) + rounding;
}

}  // namespace mha
