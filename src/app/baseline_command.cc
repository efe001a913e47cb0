#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "analysis/gate_side.h"
#include "app/commands.h"
#include "base/error.h"

namespace mha {

void add_baseline_command(CLI::App& app, std::function<int()>& action) {
  const auto run = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("baseline", "Print the figures of a run as a small file to keep and gate later runs by");
  command->add_option("run", *run, "Run folder, report.json or the output of eval --json")->required();
  command->callback([run, &action] {
    action = [run] {
      std::puts(dump_json(baseline_to_json(baseline_of(read_gate_side(*run)))).c_str());
      return static_cast<int>(ExitCode::ok);
    };
  });
}

}  // namespace mha
