#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mha {

/// Which way a figure goes when it gets worse.
enum class Harm { falls, grows };

/// What must be the same on both sides, besides the test data, for a figure to be compared at all.
enum class Needs { nothing, same_vocabulary, same_machine };

/// A figure that `mha-train compare` knows.
struct GateMetric {
  std::string_view name, unit;
  Harm harm;
  Needs needs;
  int digits;  // decimals shown
};

/// In the order in which they are shown.
std::span<const GateMetric> gate_metrics();
/// The metric of that name, or null.
const GateMetric* find_gate_metric(std::string_view name);
std::vector<std::string> gate_metric_names();

/// What gates without --tolerance, in its grammar.
inline constexpr std::string_view kDefaultTolerance = "bleu=0.5,chrf=0.5,ppl=2%,wps=10%,peak_rss=5%";

}  // namespace mha
