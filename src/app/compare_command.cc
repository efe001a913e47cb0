#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "analysis/comparison.h"
#include "analysis/comparison_text.h"
#include "analysis/junit.h"
#include "app/commands.h"
#include "app/config_options.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace mha {
namespace {

struct CompareArguments {
  std::string base, candidate, junit;
  std::optional<std::string> tolerance;
  std::int64_t resamples = GateRules().resamples;
  bool significant_only = false, as_json = false, as_markdown = false;
};

GateRules rules_of(const CompareArguments& arguments) {
  GateRules rules;
  rules.significant_only = arguments.significant_only;
  rules.resamples = arguments.resamples;
  if (arguments.tolerance) {
    rules.tolerances = parse_tolerances(*arguments.tolerance);
    rules.asked_for = true;
  }
  check_rules(rules);
  return rules;
}

int compare(const CompareArguments& arguments) {
  const GateRules rules = rules_of(arguments);
  std::optional<AtomicFile> junit;  // made now: what cannot be written is to be known before the work
  if (!arguments.junit.empty()) {
    const std::filesystem::path file(arguments.junit);
    if (file.has_parent_path()) make_directories(file.parent_path());
    junit.emplace(file);
  }
  const GateSide base = read_gate_side(arguments.base), candidate = read_gate_side(arguments.candidate);
  check_comparable(base, candidate, rules);
  PairedBleu paired = paired_bleu(base, candidate, rules.resamples);
  const bool both_complete = base.trouble.empty() && candidate.trouble.empty();
  if (rules.significant_only && both_complete && !paired.test)
    throw UserError("--significant-only needs the paired bootstrap: " + paired.why_not);
  const Comparison result = compare_sides(base, candidate, rules, std::move(paired));
  if (junit) {
    junit->write(comparison_junit(result));
    junit->commit();
  }
  const std::string text = arguments.as_json       ? dump_json(comparison_to_json(result)) + "\n"
                           : arguments.as_markdown ? comparison_markdown(result)
                                                   : comparison_text(result);
  std::fputs(text.c_str(), stdout);
  return static_cast<int>(result.passed() ? ExitCode::ok : ExitCode::check_failed);
}

}  // namespace

void add_compare_command(CLI::App& app, std::function<int()>& action) {
  const auto arguments = std::make_shared<CompareArguments>();
  CompareArguments& a = *arguments;
  CLI::App* command = app.add_subcommand(
      "compare", "Gate: exit code 3 if NEW is worse than BASE beyond tolerance, 2 if they cannot be compared");
  const char* what = "Run folder, report.json, output of eval --json, or baseline file";
  command->add_option("base", a.base, what)->required();
  command->add_option("new", a.candidate, what)->required();
  command->add_option(
      "--tolerance", a.tolerance,
      std::string("METRIC=NUMBER or METRIC=NUMBER%, with commas; exactly these metrics gate. Metrics: ") +
          join(gate_metric_names(), ", ") + ". Without it: " + std::string(kDefaultTolerance));
  command->add_option("--resamples", a.resamples, "Resamples of the paired bootstrap of BLEU; 0: none")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_flag("--significant-only", a.significant_only,
                    "A fall of BLEU fails only if the paired bootstrap says p < 0.05 too");
  CLI::Option* as_json = command->add_flag("--json", a.as_json, "Print JSON");
  command->add_flag("--markdown", a.as_markdown, "Print Markdown, for a comment on a pull request")->excludes(as_json);
  command->add_option("--junit", a.junit, "Also write JUnit XML, a test case a metric, to this file")
      ->check(not_empty());
  command->callback([arguments, &action] { action = [arguments] { return compare(*arguments); }; });
}

}  // namespace mha
