#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/commands.h"
#include "base/error.h"
#include "base/json.h"
#include "config/config.h"
#include "model/attention/kind_list.h"

namespace mha {
namespace {

struct ShowArguments {
  std::string file;
  std::vector<std::string> assignments;
  bool origins = false;
};

/// Adds {"value": …, "origin": …} under the path of every key.
void add_origins(const json& value, const std::string& path, const std::map<std::string, std::string>& origins,
                 json& out) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, child] : value.items())
      add_origins(child, path.empty() ? key : path + "." + key, origins, out);
    return;
  }
  const auto found = origins.find(path);
  out[path] = {{"value", value}, {"origin", found == origins.end() ? "the defaults" : found->second}};
}

int show(const ShowArguments& arguments) {
  std::vector<Assignment> assignments;
  for (const auto& text : arguments.assignments) assignments.push_back(parse_assignment(text));
  const LoadedConfig loaded = load_config(arguments.file, assignments, attention_kind_names());
  json out = loaded.resolved;
  if (arguments.origins) {
    out = json::object();
    add_origins(loaded.resolved, "", {loaded.origins.begin(), loaded.origins.end()}, out);
  }
  std::cout << dump_json(out) << '\n';
  return static_cast<int>(ExitCode::ok);
}

int print(const std::string& text) {
  std::cout << text;
  return static_cast<int>(ExitCode::ok);
}

int print_kinds() {
  for (const KindInfo& kind : attention_kinds()) std::cout << kind.name << "\t" << kind.summary << '\n';
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_config_command(CLI::App& app, std::function<int()>& action) {
  CLI::App* command =
      app.add_subcommand("config", "Show a configuration, its schema, its reference, or the attention kinds");
  command->require_subcommand(1);

  auto arguments = std::make_shared<ShowArguments>();
  CLI::App* showing =
      command->add_subcommand("show", "Print a configuration as resolved: extends, --set and defaults filled in");
  showing->add_option("file,-c,--config", arguments->file, "Configuration file")->required();
  showing->add_option("--set", arguments->assignments, "KEY=VALUE, any number of times")->allow_extra_args(false);
  showing->add_flag("--origins", arguments->origins, "For every key, its value and where it was set");
  showing->callback([arguments, &action] { action = [arguments] { return show(*arguments); }; });

  command->add_subcommand("schema", "Print the JSON Schema of a configuration file")->callback([&action] {
    action = [] { return print(dump_json(config_schema()) + "\n"); };
  });
  command->add_subcommand("docs", "Print the reference of all keys as Markdown")->callback([&action] {
    action = [] { return print(config_markdown()); };
  });
  command->add_subcommand("kinds", "List the attention kinds")->callback([&action] { action = print_kinds; });
}

}  // namespace mha
