#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/text.h"
#include "config/fields.h"
#include "report/run_report.h"

namespace mha {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string number(double value, int digits) { return std::isfinite(value) ? format_fixed(value, digits) : "-"; }

std::string rate(double value) { return std::isfinite(value) ? format_count(std::llround(value)) : "-"; }

/// "38.21" of a score object as sacreBLEU writes it, or "-".
std::string score_of(const json& score) {
  const bool known = score.is_object() && score.contains("score") && score["score"].is_number();
  return known ? format_fixed(score["score"].get<double>(), 2) : "-";
}

std::string signature_of(const json& score) {
  const bool known = score.is_object() && score.contains("signature") && score["signature"].is_string();
  return known ? "  " + score["signature"].get<std::string>() : "";
}

void add_test(const TestReport& test, Rows& rows) {
  rows.emplace_back("test loss", number(test.nll_loss, 4) + "  nats per target token, " + test.weights + " weights");
  rows.emplace_back("test ppl", number(test.ppl, 3));
  rows.emplace_back("test BLEU", score_of(test.bleu) + signature_of(test.bleu));
  rows.emplace_back("test chrF", score_of(test.chrf) + signature_of(test.chrf));
}

void add_phenomena(const std::vector<PhenomenonReport>& phenomena, Rows& rows) {
  for (const auto& p : phenomena) {
    rows.emplace_back(p.name, number(100 * p.accuracy, 1) + " %  [" + number(100 * p.low, 1) + ", " +
                                  number(100 * p.high, 1) + "], n = " + format_count(p.n));
  }
}

Rows summary_rows(const RunReport& report) {
  const TrainingReport& training = report.training;
  Rows rows = {{"status", to_string(report.status) + (report.reason.empty() ? "" : ": " + report.reason)},
               {"updates", format_count(training.num_updates) + " in epoch " + std::to_string(training.epoch)},
               {"parameters", format_count(report.parameters.num_params)}};
  if (!training.curve.empty()) rows.emplace_back("training loss", number(training.curve.back().nll_loss, 4));
  if (training.best) {
    rows.emplace_back("best " + training.best->metric, number(training.best->value, 4) + "  on validation, update " +
                                                           format_count(training.best->num_updates));
  }
  if (!training.skipped_updates.empty()) rows.emplace_back("skipped", std::to_string(training.skipped_updates.size()));
  if (report.test) add_test(*report.test, rows);
  add_phenomena(report.phenomena, rows);
  rows.emplace_back("tokens/s",
                    rate(report.throughput.wps) + " target, " + rate(report.throughput.source_wps) + " source");
  rows.emplace_back("peak memory", format_bytes(report.memory.peak_resident_bytes));
  rows.emplace_back("wall time", format_duration(report.throughput.seconds.total) + "  (training " +
                                     format_duration(report.throughput.seconds.training) + ")");
  return rows;
}

}  // namespace

std::string summary_table(const RunReport& report) {
  const Rows rows = summary_rows(report);
  std::size_t width = 0;
  for (const auto& [label, value] : rows) width = std::max(width, label.size());
  std::string out;
  for (const auto& [label, value] : rows) out += label + std::string(width - label.size() + 2, ' ') + value + "\n";
  return out;
}

}  // namespace mha
