#include "analysis/gate_side.h"

#include <cmath>

#include "base/error.h"
#include "report/field_json.h"
#include "report/run_folder.h"

namespace mha {
namespace {

void set_hypotheses(GateSide& side, const std::filesystem::path& file) {
  if (std::filesystem::is_regular_file(file)) side.hypotheses = file;
}

void read_run(const json& in, const std::filesystem::path& file, GateSide& side) {
  const RunReport report = report_from_json(in, file.string());
  side.card = scorecard_of(report);
  if (report.status != RunStatus::completed) {
    side.trouble = "the run is not complete but " + to_string(report.status) +
                   (report.reason.empty() ? "" : " (" + report.reason + ")");
  }
  if (!report.test) return;
  side.bleu = report.test->bleu;
  set_hypotheses(side, file.parent_path() / report.test->hypotheses);
  side.config = report.config;
}

/// The output of `mha-train eval`, whatever version: the keys that one did not have keep their defaults.
void read_eval(const json& in, const std::filesystem::path& file, GateSide& side) {
  TestReport test;
  field_from_json(in["test"], {.origin = file.string(), .path = "test", .may_lack_keys = true}, test);
  side.card = scorecard_of(test);
  side.bleu = test.bleu;
  if (!test.hypotheses.empty()) set_hypotheses(side, test.hypotheses);
}

}  // namespace

GateSide read_gate_side(const std::filesystem::path& given) {
  GateSide side;
  side.origin = given.string();
  const std::filesystem::path file = find_report(given);
  const json in = read_json(file);
  const json format = in.is_object() && in.contains(kFormatKey) ? in[kFormatKey] : json(nullptr);
  if (format == kReportFormat) {
    read_run(in, file, side);
  } else if (format == kBaselineFormat) {
    side.card = baseline_from_json(in, file.string());
  } else if (format.is_null() && in.is_object() && in.contains("test") && in["test"].is_object()) {
    read_eval(in, file, side);
  } else {
    throw UserError(file.string() +
                    ": neither a report of mha-train, nor a baseline, nor the output of `mha-train eval "
                    "--json`");
  }
  return side;
}

Scorecard baseline_of(const GateSide& side) {
  if (!side.trouble.empty()) throw UserError(side.origin + ": " + side.trouble + "; it is no baseline for others");
  if (!side.card.test) throw UserError(side.origin + ": the run has no test split; it is no baseline for others");
  for (const auto& [name, figure] : side.card.figures) {
    if (std::isfinite(figure.value)) continue;
    throw UserError(side.origin + ": " + name + " is not known, so that nothing could pass against it");
  }
  return side.card;
}

}  // namespace mha
