#pragma once

#include <string>

#include "analysis/comparison.h"
#include "report/run_report.h"

namespace mha {

/// The report of a run that was scored.
inline RunReport scored_report() {
  RunReport r;
  r.status = RunStatus::completed;
  r.name = "tiny";
  r.provenance.version = "0.1.0";
  r.provenance.seed = 7;
  r.provenance.processor = "a processor";
  r.provenance.instruction_set = "avx2";
  r.provenance.device = "cpu";
  r.provenance.precision = "fp32";
  r.provenance.threads = 2;
  r.data["test"].hash = "encoded";
  r.vocabulary.target_hash = "0123456789abcdef";
  r.parameters.num_params = 1000000;
  r.attention.resize(2);
  for (AttentionReport& block : r.attention) block.path = "packed";
  r.test.emplace();
  r.test->weights = "best";
  r.test->source_hash = "sources";
  r.test->reference_hash = "references";
  r.test->sentences = 100;
  r.test->target_tokens = 1600;
  r.test->nll_loss = 1.5;
  r.test->ppl = 4.5;
  r.test->bleu = {{"score", 30.3}, {"signature", "nrefs:1|tok:13a"}, {"tok", "13a"}, {"case", "mixed"}};
  r.test->chrf = {{"score", 55.0}, {"signature", "nrefs:1|nc:6"}};
  r.test->chrf_plus_plus = {{"score", 52.0}, {"signature", "nrefs:1|nc:6|nw:2"}};
  r.test->decode = {{"beam", 5}, {"lenpen", 1.0}, {"max_tokens", 8192}, {"nbest", 1}, {"path", "auto"}};
  r.test->decode["precision"] = "fp32";
  r.test->decode_path = "packed";
  r.test->decode_precision = "fp32";
  r.throughput.wps = 20000;
  r.memory.peak_resident_bytes = 400000000;
  return r;
}

inline GateSide side_of(const RunReport& report, const std::string& origin = "new") {
  GateSide side;
  side.origin = origin;
  side.card = scorecard_of(report);
  return side;
}

inline GateSide base_side() { return side_of(scored_report(), "base"); }

inline GateRules rules_for(const std::string& tolerance) {
  return {.tolerances = parse_tolerances(tolerance), .asked_for = true};
}

/// The gate without a paired bootstrap.
inline Comparison compared(const GateSide& base, const GateSide& candidate, const GateRules& rules) {
  check_comparable(base, candidate, rules);
  return compare_sides(base, candidate, rules, {});
}

inline const GateRow& row_of(const Comparison& comparison, const std::string& metric) {
  for (const GateRow& row : comparison.rows) {
    if (row.metric->name == metric) return row;
  }
  throw std::out_of_range("no row " + metric);
}

}  // namespace mha
