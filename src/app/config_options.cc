#include "app/config_options.h"

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "config/short_names.h"
#include "model/attention/kind_list.h"
#include "report/run_folder.h"
#include "sweep/places.h"

namespace mha {
namespace {

/// The text of an option as JSON, so that it is taken as text whatever it looks like.
std::string quoted(const std::string& option, const std::string& text) {
  if (invalid_utf8_at(text) == std::string_view::npos) return dump_json(text, -1);
  throw UserError(option + " " + text + ": not UTF-8, which config.json is written in; choose another name");
}

/// What sweeps refuse of their axes: h of a configuration with a place that keeps its own.
void check_point(const ConfigArguments& arguments, const LoadedConfig& loaded) {
  Point point;
  for (const std::string& text : arguments.point) {
    const Assignment assignment = parse_assignment(text);
    const std::string path = axis_path(assignment.path);
    point.settings.push_back({.name = axis_name(path), .path = path, .value = assignment.value, .folder = {}});
  }
  check_every_place(point, loaded);
}

}  // namespace

std::vector<Assignment> assignments(const ConfigArguments& arguments) {
  std::vector<Assignment> all;
  for (const std::string& text : arguments.set) all.push_back(parse_assignment(text));
  for (const std::string& text : arguments.point) {
    Assignment& assignment = all.emplace_back(parse_assignment(text));
    assignment.origin = "the command line";
    if (assignment.path == "h") assignment.path = "attention.num_heads";
    if (assignment.path == "d_k") assignment.path = "attention.d_k";
  }
  if (!arguments.run_dir.empty()) all.push_back({"run_dir", quoted("--run-dir", arguments.run_dir), "--run-dir"});
  if (!arguments.device.empty()) all.push_back({"device", quoted("--device", arguments.device), "--device"});
  if (arguments.seed) all.push_back({"seed", std::to_string(*arguments.seed), "--seed"});
  if (arguments.threads) all.push_back({"threads", std::to_string(*arguments.threads), "--threads"});
  return all;
}

void add_config_options(CLI::App& app, ConfigArguments& arguments) {
  app.add_option("--config", arguments.config, "Configuration file (JSON)");
  app.add_option("--set", arguments.set, "Set one key, e.g. --set attention.num_heads=4; any number of times")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--run-dir", arguments.run_dir, "Folder of the run (run_dir)");
  app.add_option("--seed", arguments.seed, "Seed of everything random (seed)");
  app.add_option("--threads", arguments.threads, "Processor threads (threads)");
  app.add_option("--device", arguments.device, "auto, cpu or cuda (device)");
}

CLI::Validator not_empty() {
  return {[](std::string& text) { return text.empty() ? std::string("must not be empty") : std::string(); }, "", ""};
}

void add_point(CLI::App& app, ConfigArguments& arguments) {
  app.add_option("KEY=VALUE", arguments.point,
                 "Set one key, as --set does; h and d_k are short for attention.num_heads and attention.d_k");
}

void require_data_files(const DataConfig& data) {
  std::vector<std::string> problems;
  const auto require = [&](const std::string& key, const std::filesystem::path& path) {
    std::error_code error;
    if (path.empty() || std::filesystem::exists(path, error) || error) return;  // an error is told when it is opened
    problems.push_back(key + ": cannot read " + path.string() + ": no such file");
  };
  const auto check_split = [&](const std::string& name, const SplitConfig& split) {
    for (const auto& path : split.source) require("data." + name + ".source", path);
    for (const auto& path : split.target) require("data." + name + ".target", path);
    for (const auto& path : split.tsv) require("data." + name + ".tsv", path);
    require("data." + name + ".annotations", split.annotations);
  };
  check_split("train", data.train);
  check_split("valid", data.valid);
  check_split("test", data.test);
  if (problems.empty()) return;
  throw UserError(join(problems, "\n") +
                  "\n(data/generate.py makes the embedded corpus, scripts/get_data.sh fetches the others of configs/; "
                  "paths in a configuration are relative to its file)");
}

std::filesystem::path run_root(const LoadedConfig& loaded) {
  return loaded.config.run_dir.empty() ? default_run_dir(loaded.config.name, loaded.resolved)
                                       : std::filesystem::path(loaded.config.run_dir);
}

LoadedConfig load_config(const ConfigArguments& arguments) {
  LoadedConfig loaded = load_config(arguments.config, assignments(arguments), attention_kind_names());
  check_point(arguments, loaded);
  return loaded;
}

}  // namespace mha
