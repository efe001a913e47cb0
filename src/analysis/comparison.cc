#include "analysis/comparison.h"

#include <algorithm>
#include <cmath>

#include "analysis/comparability.h"
#include "analysis/comparison_text.h"
#include "base/error.h"
#include "base/text.h"

namespace mha {
namespace {

std::optional<double> figure_of(const Scorecard& card, std::string_view metric) {
  const auto found = card.figures.find(std::string(metric));
  return found == card.figures.end() ? std::nullopt : std::optional(found->second.value);
}

/// Why the metric cannot be compared: a side has none, or the conditions differ.
std::string obstacle(const GateMetric& metric, const GateSide& base, const GateSide& candidate) {
  for (const GateSide* side : {&base, &candidate}) {
    if (!figure_of(side->card, metric.name)) return side->origin + " has no " + std::string(metric.name);
  }
  return why_not_comparable(metric, base.card, candidate.card);
}

/// The obstacle that makes the whole gate wrong rather than leave this metric out.
bool must_refuse(const GateMetric& metric, const GateSide& base, const GateSide& candidate, const GateRules& rules) {
  const bool both = figure_of(base.card, metric.name) && figure_of(candidate.card, metric.name);
  return rules.asked_for || (metric.needs == Needs::same_vocabulary && both);
}

std::string failure(const GateRow& row, const GateSide& base, const GateSide& candidate) {
  const GateMetric& metric = *row.metric;
  for (const GateSide* side : {&base, &candidate}) {
    if (!side->trouble.empty()) return side->origin + ": " + side->trouble;
  }
  if (!std::isfinite(*row.base)) return "not known in " + base.origin;
  if (!std::isfinite(*row.candidate)) return "not known in " + candidate.origin;
  if (is_within(metric, *row.tolerance, *row.base, *row.candidate)) return "";
  const bool falls = metric.harm == Harm::falls;
  return (falls ? "fell by " : "grew by ") + amount_text(row, harm_of(metric, *row.base, *row.candidate)) +
         ", tolerance " + row.tolerance->text();
}

/// Whether the fall that failed is one that noise in the choice of sentences explains.
bool is_noise(const GateRow& row, const GateRules& rules, const PairedBleu& paired) {
  return rules.significant_only && row.metric->name == "bleu" && row.has_change() && paired.test &&
         paired.test->p >= kGateSignificance;
}

GateRow judge(const GateMetric& metric, const Comparison& sides, const GateRules& rules) {
  GateRow row;
  row.metric = &metric;
  row.base = figure_of(sides.base.card, metric.name);
  row.candidate = figure_of(sides.candidate.card, metric.name);
  const std::string why_not = obstacle(metric, sides.base, sides.candidate);
  const auto tolerance = rules.tolerances.find(std::string(metric.name));
  if (!why_not.empty()) {
    row.verdict = GateVerdict::not_comparable;
    row.why = why_not;
    return row;
  }
  if (tolerance == rules.tolerances.end()) return row;
  row.tolerance = tolerance->second;
  row.why = failure(row, sides.base, sides.candidate);
  row.verdict = row.why.empty() ? GateVerdict::pass : GateVerdict::fail;
  const bool in_trouble = !sides.base.trouble.empty() || !sides.candidate.trouble.empty();
  if (row.verdict == GateVerdict::fail && !in_trouble && is_noise(row, rules, sides.paired)) {
    row.verdict = GateVerdict::pass;
    row.why += ", but not significantly";
  }
  return row;
}

void add_notes(Comparison& out) {
  const Scorecard &a = out.base.card, &b = out.candidate.card;
  const auto differ = [&](const std::string& what, const std::string& base, const std::string& candidate) {
    if (base != candidate) out.notes.push_back(what + ": " + base + " in the base, " + candidate + " in the new");
  };
  if (a.test && b.test) {
    differ("weights that were scored", a.test->weights, b.test->weights);
    differ("decoding path", a.test->decode_path, b.test->decode_path);
  }
  if (!out.paired.test && out.paired.resamples > 0) out.notes.push_back("no paired bootstrap: " + out.paired.why_not);
}

}  // namespace

bool GateRow::has_change() const { return base && candidate && std::isfinite(*base) && std::isfinite(*candidate); }

bool Comparison::passed() const { return std::ranges::count(rows, GateVerdict::fail, &GateRow::verdict) == 0; }

void check_rules(const GateRules& rules) {
  if (!rules.significant_only) return;
  if (!rules.tolerances.contains("bleu"))
    throw UserError("--significant-only is about BLEU, which --tolerance does not name: add bleu=0.5 or leave it out");
  if (rules.resamples >= kFewestDecidingResamples) return;
  throw UserError("--significant-only needs --resamples of " + std::to_string(kFewestDecidingResamples) +
                  " at least, not " + std::to_string(rules.resamples) +
                  ": of so few no fall can be told from noise, and all would pass; leave --resamples out for 1,000");
}

void check_comparable(const GateSide& base, const GateSide& candidate, const GateRules& rules) {
  std::vector<std::string> problems = differing_test_conditions(base, candidate);
  std::size_t comparable = 0;
  for (const GateMetric& metric : gate_metrics()) {
    if (!rules.tolerances.contains(std::string(metric.name))) continue;
    const std::string why_not = obstacle(metric, base, candidate);
    comparable += why_not.empty() ? 1 : 0;
    if (why_not.empty() || !must_refuse(metric, base, candidate, rules)) continue;
    problems.push_back(std::string(metric.name) + " is not comparable: " + why_not +
                       (rules.asked_for ? "" : "; name the metrics to gate without it, as --tolerance bleu=0.5"));
  }
  if (problems.empty() && comparable == 0) problems.emplace_back("no metric that gates is on both sides");
  if (problems.empty()) return;
  throw UserError(base.origin + " and " + candidate.origin + " cannot be compared:\n  " + join(problems, "\n  "));
}

Comparison compare_sides(const GateSide& base, const GateSide& candidate, const GateRules& rules, PairedBleu paired) {
  Comparison out{.base = base, .candidate = candidate, .rows = {}, .paired = std::move(paired), .notes = {}};
  for (const GateMetric& metric : gate_metrics()) {
    if (!figure_of(base.card, metric.name) && !figure_of(candidate.card, metric.name)) continue;
    out.rows.push_back(judge(metric, out, rules));
  }
  add_notes(out);
  return out;
}

}  // namespace mha
