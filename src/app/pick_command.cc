#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "analysis/choice.h"
#include "app/commands.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "config/values.h"

namespace mha {
namespace {

struct PickArguments {
  std::string folder, within = "0.3bleu", smallest = "params", out;
  bool as_json = false;
};

int pick(const PickArguments& arguments) {
  const double margin = parse_bleu_margin(arguments.within);
  auto smallest = Smallest::params;
  ValueType<Smallest>::read(arguments.smallest, {}, {}, smallest);  // CLI11 has checked that it is one of them
  std::optional<AtomicFile> output;  // made now: what cannot be written is to be known before the work
  if (!arguments.out.empty()) output.emplace(arguments.out);
  const SweepResults results = collect_sweep(arguments.folder);
  const Choice choice = choose_cell(results, margin, smallest);
  if (output) {
    output->write(dump_json(config_to_keep(results, results.cells[choice.chosen])) + "\n");
    output->commit();
  }
  const std::string said = arguments.as_json ? dump_json(choice_json(results, choice, margin, smallest)) + "\n"
                                             : choice_text(results, choice, margin, smallest);
  std::fputs(said.c_str(), stdout);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_pick_command(CLI::App& app, std::function<int()>& action) {
  const auto arguments = std::make_shared<PickArguments>();
  CLI::App* command = app.add_subcommand("pick", "The smallest cell of a sweep that is about as good as the best");
  command->add_option("sweep", arguments->folder, "Folder of the sweep")->required();
  command->add_option("--within", arguments->within, "How far below the best mean BLEU a cell may lie, as 0.3bleu")
      ->capture_default_str();
  command->add_option("--smallest", arguments->smallest, "By what: params, memory or latency (seconds a test sentence)")
      ->check(CLI::IsMember(enum_words<Smallest>()))
      ->capture_default_str();
  command->add_option("-o,--out", arguments->out, "Write the cell's configuration to this file, for --config");
  command->add_flag("--json", arguments->as_json, "Print JSON");
  command->callback([arguments, &action] { action = [arguments] { return pick(*arguments); }; });
}

}  // namespace mha
