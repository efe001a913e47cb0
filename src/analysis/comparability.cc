#include "analysis/comparability.h"

#include <set>

#include "base/text.h"

namespace mha {
namespace {

using Differences = std::vector<std::string>;

void compare_values(const std::string& what, const std::string& base, const std::string& candidate, Differences& out) {
  if (base != candidate) {
    out.push_back(what + ": " + (base.empty() ? "not known" : base) + " in the base, " +
                  (candidate.empty() ? "not known" : candidate) + " in the new");
  }
}

/// Enough digits of a hash to tell two apart.
std::string shortened(const std::string& hash) { return hash.substr(0, 12); }

void compare_data(const TestConditions& base, const TestConditions& candidate, Differences& out) {
  const bool have_text_hashes = !base.source_hash.empty() && !candidate.source_hash.empty();
  if (have_text_hashes) {
    compare_values("test data (sources)", shortened(base.source_hash), shortened(candidate.source_hash), out);
    compare_values("references", shortened(base.reference_hash), shortened(candidate.reference_hash), out);
  } else if (base.encoded_hash.empty() || base.encoded_hash != candidate.encoded_hash) {
    // Of an older report only a hash over text and vocabulary is known: equal means the same, different means nothing.
    const bool base_lacks = base.source_hash.empty();
    out.push_back(std::string("test data: whether they are the same cannot be told, since ") +
                  (base_lacks ? "the base" : "the new") +
                  " is of an older mha-train that did not note it; score those weights again (mha-train eval)");
  }
  compare_values("test sentences", format_count(base.sentences), format_count(candidate.sentences), out);
}

void compare_decoding(const TestConditions& base, const TestConditions& candidate, Differences& out) {
  const auto value = [](const json& decode, const std::string& key) {
    return decode.contains(key) ? dump_json(decode[key], -1) : "absent";
  };
  std::set<std::string> keys;
  for (const json* decode : {&base.decode, &candidate.decode}) {
    for (const auto& item : decode->items()) keys.insert(item.key());
  }
  for (const std::string& key : keys)
    compare_values("decode." + key, value(base.decode, key), value(candidate.decode, key), out);
  // Older reports do not tell; they could only decode in one way.
  const auto precision = [](const TestConditions& test) {
    return test.decode_precision.empty() ? "fp32" : test.decode_precision;
  };
  compare_values("decode.precision", precision(base), precision(candidate), out);
}

std::string vocabulary_difference(const TestConditions& base, const TestConditions& candidate) {
  const std::string &a = base.target_vocabulary_hash, &b = candidate.target_vocabulary_hash;
  if (base.target_tokens == candidate.target_tokens && (a == b || a.empty() || b.empty())) return "";
  const auto shown = [](const TestConditions& test) {
    const std::string& hash = test.target_vocabulary_hash;
    return format_count(test.target_tokens) + " subwords" + (hash.empty() ? "" : ", vocabulary " + shortened(hash));
  };
  return "tokenisation of the references differs: " + shown(base) + " in the base, " + shown(candidate) + " in the new";
}

std::string machine_difference(const Scorecard& base, const Scorecard& candidate) {
  if (!base.machine || !candidate.machine) return "";
  const MachineConditions &a = *base.machine, &b = *candidate.machine;
  Differences differences;
  compare_values("processor", a.processor, b.processor, differences);
  compare_values("instruction set", a.instruction_set, b.instruction_set, differences);
  compare_values("device", a.device, b.device, differences);
  compare_values("precision", a.precision, b.precision, differences);
  compare_values("attention path", a.attention_path, b.attention_path, differences);
  compare_values("threads", std::to_string(a.threads), std::to_string(b.threads), differences);
  return join(differences, "; ");
}

}  // namespace

std::vector<std::string> differing_test_conditions(const GateSide& base, const GateSide& candidate) {
  if (!base.card.test || !candidate.card.test) return {};
  const TestConditions &a = *base.card.test, &b = *candidate.card.test;
  Differences out;
  compare_data(a, b, out);
  compare_values("BLEU signature", a.bleu_signature, b.bleu_signature, out);
  compare_values("chrF signature", a.chrf_signature, b.chrf_signature, out);
  compare_decoding(a, b, out);
  return out;
}

std::string why_not_comparable(const GateMetric& metric, const Scorecard& base, const Scorecard& candidate) {
  if (metric.needs == Needs::nothing) return "";
  const bool scored = base.test && candidate.test;
  // Speed counts subwords too.
  if (metric.name != "peak_rss" && scored) {
    const std::string difference = vocabulary_difference(*base.test, *candidate.test);
    if (!difference.empty() || metric.needs == Needs::same_vocabulary) return difference;
  }
  return metric.needs == Needs::same_machine ? machine_difference(base, candidate) : "";
}

}  // namespace mha
