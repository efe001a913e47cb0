#include "analysis/gate_metrics.h"

#include <algorithm>
#include <array>

#include "report/training_report.h"

namespace mha {
namespace {

constexpr std::array<GateMetric, 8> kMetrics = {{
    {"bleu", "0 to 100", Harm::falls, Needs::nothing, 2},
    {"chrf", "0 to 100", Harm::falls, Needs::nothing, 2},
    {"chrf++", "0 to 100", Harm::falls, Needs::nothing, 2},
    {"nll", kNats, Harm::grows, Needs::same_vocabulary, 4},
    {"ppl", kPerplexity, Harm::grows, Needs::same_vocabulary, 3},
    {"params", "parameters", Harm::grows, Needs::nothing, 0},
    {"wps", "target tokens / second", Harm::falls, Needs::same_machine, 0},
    {"peak_rss", "bytes", Harm::grows, Needs::same_machine, 0},
}};

}  // namespace

std::span<const GateMetric> gate_metrics() { return kMetrics; }

const GateMetric* find_gate_metric(std::string_view name) {
  const auto found = std::ranges::find(kMetrics, name, &GateMetric::name);
  return found == kMetrics.end() ? nullptr : found;
}

std::vector<std::string> gate_metric_names() {
  std::vector<std::string> names;
  for (const GateMetric& metric : kMetrics) names.emplace_back(metric.name);
  return names;
}

}  // namespace mha
