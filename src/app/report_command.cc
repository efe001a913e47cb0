#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "app/commands.h"
#include "base/error.h"
#include "report/run_folder.h"
#include "report/run_report.h"
#include "report/sweep_file.h"

namespace mha {
namespace {

int print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return static_cast<int>(ExitCode::ok);
}

int show(const std::string& given, bool as_json) {
  const RunReport report = read_report(find_report(given));
  return print(as_json ? dump_json(report_to_json(report)) + "\n" : summary_table(report));
}

}  // namespace

void add_report_command(CLI::App& app, std::function<int()>& action) {
  CLI::App* report = app.add_subcommand("report", "Show the report of a run, or describe its format");
  report->require_subcommand(1);

  CLI::App* show_command = report->add_subcommand("show", "Print a short table of a run's results");
  const auto path = std::make_shared<std::string>();
  const auto as_json = std::make_shared<bool>(false);
  show_command->add_option("run", *path, "Run folder or report.json")->required();
  show_command->add_flag("--json", *as_json, "Print the whole report as JSON");
  show_command->callback([&action, path, as_json] { action = [path, as_json] { return show(*path, *as_json); }; });

  CLI::App* schema_command = report->add_subcommand("schema", "Print the JSON Schema of report.json or sweep.json");
  const auto file = std::make_shared<std::string>("report");
  schema_command->add_option("file", *file, "report or sweep")
      ->check(CLI::IsMember({"report", "sweep"}))
      ->capture_default_str();
  schema_command->callback([&action, file] {
    action = [file] { return print(dump_json(*file == "sweep" ? sweep_schema() : report_schema()) + "\n"); };
  });
  report->add_subcommand("docs", "Print the documentation of the run folder, the report and the events")
      ->callback([&action] { action = [] { return print(report_markdown()); }; });
}

}  // namespace mha
