#include "analysis/scorecard.h"

#include <set>
#include <vector>

#include "analysis/gate_metrics.h"
#include "base/error.h"
#include "base/text.h"
#include "report/field_json.h"

namespace mha {
namespace {

// What does not change the best translation, and what is told as resolved beside it.
constexpr const char* kNeutralDecodeKeys[] = {"max_tokens", "nbest", "path", "precision"};

void put(Scorecard& card, std::string_view metric, double value) {
  card.figures[std::string(metric)] = {value, std::string(find_gate_metric(metric)->unit)};
}

double score_of(const json& score) {
  const bool known = score.is_object() && score.contains("score") && score["score"].is_number();
  return known ? score["score"].get<double>() : kUnknown;
}

std::string signature_of(const json& score) {
  const bool known = score.is_object() && score.contains("signature") && score["signature"].is_string();
  return known ? score["signature"].get<std::string>() : "";
}

TestConditions conditions_of(const TestReport& test) {
  TestConditions conditions;
  conditions.sentences = test.sentences;
  conditions.target_tokens = test.target_tokens;
  conditions.source_hash = test.source_hash;
  conditions.reference_hash = test.reference_hash;
  conditions.bleu_signature = signature_of(test.bleu);
  conditions.chrf_signature = signature_of(test.chrf);
  conditions.weights = test.weights;
  conditions.decode_path = test.decode_path;
  conditions.decode_precision = test.decode_precision;
  conditions.decode = test.decode.is_object() ? test.decode : json::object();
  for (const char* key : kNeutralDecodeKeys) conditions.decode.erase(key);
  return conditions;
}

void add_test(Scorecard& card, const TestReport& test) {
  put(card, "bleu", score_of(test.bleu));
  put(card, "chrf", score_of(test.chrf));
  put(card, "chrf++", score_of(test.chrf_plus_plus));
  put(card, "nll", test.nll_loss);
  put(card, "ppl", test.ppl);
}

MachineConditions machine_of(const RunReport& report) {
  const Provenance& provenance = report.provenance;
  MachineConditions machine;
  machine.processor = provenance.processor;
  machine.instruction_set = provenance.instruction_set;
  machine.device = provenance.device;
  machine.precision = provenance.precision;
  machine.threads = provenance.threads;
  std::set<std::string> paths;
  for (const AttentionReport& block : report.attention) paths.insert(block.path);
  machine.attention_path = join(std::vector<std::string>(paths.begin(), paths.end()), ",");
  return machine;
}

}  // namespace

Scorecard scorecard_of(const RunReport& report) {
  Scorecard card;
  card.name = report.name;
  card.version = report.provenance.version;
  card.seed = report.provenance.seed;
  add_test(card, report.test.value_or(TestReport{}));
  put(card, "params", static_cast<double>(report.parameters.num_params));
  put(card, "wps", report.throughput.wps);
  put(card, "peak_rss", static_cast<double>(report.memory.peak_resident_bytes));
  if (report.test) {
    card.test = conditions_of(*report.test);
    card.test->target_vocabulary_hash = report.vocabulary.target_hash;
    if (report.data.contains("test")) card.test->encoded_hash = report.data.at("test").hash;
  }
  card.machine = machine_of(report);
  return card;
}

Scorecard scorecard_of(const TestReport& test) {
  Scorecard card;
  card.name = "eval";
  add_test(card, test);
  card.test = conditions_of(test);
  return card;
}

json baseline_to_json(const Scorecard& card) {
  json out = {{kFormatKey, kBaselineFormat}, {kFormatVersionKey, kBaselineFormatVersion}};
  out.update(field_to_json(card));
  return out;
}

Scorecard baseline_from_json(const json& in, const std::string& origin) {
  const json version = in.value(kFormatVersionKey, json(nullptr));
  if (version != kBaselineFormatVersion) {
    throw UserError(origin + ": the baseline has format_version " + dump_json(version, -1) + ", this program reads " +
                    std::to_string(kBaselineFormatVersion) +
                    ": make it again with `mha-train baseline RUN`, or use the mha-train that made it");
  }
  json fields = in;
  fields.erase(kFormatKey);
  fields.erase(kFormatVersionKey);
  Scorecard card;
  field_from_json(fields, {.origin = origin, .path = ""}, card);
  for (const auto& [name, figure] : card.figures) {
    const GateMetric* metric = find_gate_metric(name);
    if (metric == nullptr) throw UserError(origin + ": figures." + name + " is not a figure of this format");
    if (figure.unit != metric->unit) {
      throw UserError(origin + ": figures." + name + " is in \"" + figure.unit + "\", not in \"" +
                      std::string(metric->unit) + "\"");
    }
  }
  return card;
}

}  // namespace mha
