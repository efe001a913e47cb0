#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/json.h"
#include "report/run_report.h"

namespace mha {

struct Figure {
  double value = kUnknown;
  std::string unit;

  template <class V>
  static void fields(V& v) {
    using T = Figure;
    v(&T::value, "value", "as unit", "The figure; null: not known.");
    v(&T::unit, "unit", "", "Its unit.");
  }
};

/// What the scores are scores of.
struct TestConditions {
  std::int64_t sentences = 0, target_tokens = 0;
  std::string source_hash, reference_hash, encoded_hash, target_vocabulary_hash;
  std::string bleu_signature, chrf_signature, weights, decode_path, decode_precision;
  json decode = json::object();

  template <class V>
  static void fields(V& v) {
    using T = TestConditions;
    v(&T::sentences, "sentences", "lines", "Size of the test split.");
    v(&T::target_tokens, "target_tokens", "tokens", "What the loss is averaged over.");
    v(&T::source_hash, "source_hash", "SHA-256", "Of the source lines; empty in reports before version 3.");
    v(&T::reference_hash, "reference_hash", "SHA-256", "Of the reference lines; likewise.");
    v(&T::encoded_hash, "encoded_hash", "SHA-256", "Of the text, the vocabularies and the options of encoding.");
    v(&T::target_vocabulary_hash, "target_vocabulary_hash", "SHA-256", "Of the target vocabulary; empty: not known.");
    v(&T::bleu_signature, "bleu_signature", "", "sacreBLEU's signature.");
    v(&T::chrf_signature, "chrf_signature", "", "Of chrF, likewise.");
    v(&T::weights, "weights", "", "Which weights were scored.");
    v(&T::decode_path, "decode_path", "", "How translations were computed.");
    v(&T::decode_precision, "decode_precision", "", "What in.");
    v(&T::decode, "decode", "", "Settings of the search, without those that change speed only.");
  }
};

/// What speed and memory were measured on.
struct MachineConditions {
  std::string processor, instruction_set, device, precision, attention_path;
  std::int64_t threads = 0;

  template <class V>
  static void fields(V& v) {
    using T = MachineConditions;
    v(&T::processor, "processor", "", "Model name of the processor.");
    v(&T::instruction_set, "instruction_set", "", "The widest instruction set of it that matters here.");
    v(&T::device, "device", "", "`cpu` or `cuda`.");
    v(&T::precision, "precision", "", "Of training.");
    v(&T::attention_path, "attention_path", "", "How attention was computed; several with commas.");
    v(&T::threads, "threads", "threads", "Processor threads.");
  }
};

/// What two runs are compared by; a baseline file holds one. A figure that the input cannot have (the speed in a report
/// of `eval`) is absent, one that is not known is NaN.
struct Scorecard {
  std::string name, version;
  std::optional<std::int64_t> seed;
  std::map<std::string, Figure> figures;
  std::optional<TestConditions> test;
  std::optional<MachineConditions> machine;

  template <class V>
  static void fields(V& v) {
    using T = Scorecard;
    v(&T::name, "name", "", "Name of the run.");
    v(&T::version, "version", "", "Version of mha-train that trained it.");
    v(&T::seed, "seed", "", "Its seed; null: not known.");
    v(&T::figures, "figures", "", "By the names that --tolerance takes.");
    v(&T::test, "test", "", "What the scores are scores of.");
    v(&T::machine, "machine", "", "What speed and memory were measured on; null: there are none.");
  }
};

inline constexpr const char* kBaselineFormat = "mha-train/baseline";
inline constexpr std::int64_t kBaselineFormatVersion = 1;

Scorecard scorecard_of(const RunReport& report);
/// Of what `mha-train eval --json` prints; without speed, memory, parameters and vocabulary.
Scorecard scorecard_of(const TestReport& test);

/// A baseline file: keys in a fixed order, figures sorted, no paths and no times, so that a new one differs from the
/// one before it only in what changed.
json baseline_to_json(const Scorecard& card);
/// UserError naming `origin` if this is no baseline, or one of a version that is not read.
Scorecard baseline_from_json(const json& in, const std::string& origin);

}  // namespace mha
