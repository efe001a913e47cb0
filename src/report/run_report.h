#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "report/measurements.h"
#include "report/provenance.h"
#include "report/training_report.h"

namespace mha {

enum class RunStatus { completed, interrupted, diverged, failed };
constexpr std::array<std::string_view, 4> enum_names(RunStatus) {
  return {"completed", "interrupted", "diverged", "failed"};
}

/// report.json of a run as plain data.
struct RunReport {
  RunStatus status = RunStatus::failed;
  std::string name, reason;
  std::int64_t exit_code = 0;
  json config = json::object();
  Provenance provenance;
  std::map<std::string, SplitReport> data;
  VocabularyReport vocabulary;
  ParameterReport parameters;
  std::vector<AttentionReport> attention;
  TrainingReport training;
  std::optional<TestReport> test;
  std::vector<PhenomenonReport> phenomena;
  ThroughputReport throughput;
  MemoryReport memory;

  template <class V>
  static void fields(V& v) {
    using T = RunReport;
    v(&T::status, "status", "",
      "`completed`; `interrupted` by a signal, or paused where --stop-after-updates says; `diverged`: too many losses "
      "or gradients were not finite; `failed`.");
    v(&T::name, "name", "", "Name of the run.");
    v(&T::reason, "reason", "", "Why, in words, if the status is not `completed`.");
    v(&T::exit_code, "exit_code", "", "What the process returned.");
    v(&T::config, "config", "", "The configuration as resolved: every key, defaults filled in.");
    v(&T::provenance, "provenance", "", "What the run was made by, on and from.");
    v(&T::data, "data", "", "What became of the pairs of each split: `train`, `valid`, `test`.");
    v(&T::vocabulary, "vocabulary", "", "The vocabularies.");
    v(&T::parameters, "parameters", "", "Parameters by part.");
    v(&T::attention, "attention", "", "Every attention block, as resolved.");
    v(&T::training, "training", "", "How training went.");
    v(&T::test, "test", "", "Scores on the test split; null without one or if the run did not get there.");
    v(&T::phenomena, "phenomena", "", "Accuracy per phenomenon on the test split; empty without annotations.");
    v(&T::throughput, "throughput", "", "Speed of training.");
    v(&T::memory, "memory", "", "Memory.");
  }
};

inline constexpr const char* kFormatKey = "format";
inline constexpr const char* kFormatVersionKey = "format_version";
inline constexpr const char* kReportFormat = "mha-train/report";
/// Version 2 added attention.path, data.repaired, test.truncated and test.decode_*, version 3 test.source_hash and
/// test.reference_hash; older ones are read without them.
inline constexpr std::int64_t kReportFormatVersion = 3, kOldestReportFormatVersion = 1;

/// "format" and "format_version" first, then the table's keys.
json report_to_json(const RunReport& report);
/// Throws UserError naming `origin` and the key if this is not such a report, or one of a version that this program
/// does not read.
RunReport report_from_json(const json& in, const std::string& origin);

/// Strict JSON, by temporary file and rename.
void write_report(const RunReport& report, const std::filesystem::path& file);
RunReport read_report(const std::filesystem::path& file);

/// JSON Schema (draft 2020-12) of report.json.
json report_schema();
/// docs/report.md: every field of report.json and events.jsonl, generated from the tables.
std::string report_markdown();

/// A short table: status, loss, ppl, BLEU with signature, tokens/s, peak memory, wall time. Ends with a line feed.
std::string summary_table(const RunReport& report);

}  // namespace mha
