#include "config/config.h"

#include <algorithm>

#include "base/error.h"
#include "config/layers.h"
#include "config/reader.h"

namespace mha {
namespace {

/// Whether one path is the other or lies within it.
bool overlap(const std::string& a, const std::string& b) {
  const auto within = [](const std::string& inner, const std::string& outer) {
    return inner == outer || inner.starts_with(outer + ".");
  };
  return within(a, b) || within(b, a);
}

/// Problems across keys. What lies around or within a key that could not be read would only be its echo.
void add_rule_problems(const RunConfig& config, const std::vector<std::string>& kinds, const Layers& layers,
                       Problems& problems) {
  Problems found;
  check_config(config, kinds, found);
  const Problems unread = problems;
  for (Problem& problem : found) {
    const auto echoes = [&](const Problem& other) { return overlap(problem.path, other.path); };
    if (std::ranges::any_of(unread, echoes)) continue;
    problem.origin = layers.source(problem.path).label;
    problems.push_back(std::move(problem));
  }
}

/// What a file or folder is called comes into the configuration too, as the run's name and before relative paths.
void check_writable(const json& resolved, const std::filesystem::path& file) {
  try {
    static_cast<void>(resolved.dump());
  } catch (const json::type_error&) {
    throw UserError(file.string() +
                    ": the name of this file, or of a folder on the way to it, is not UTF-8: rename it");
  }
}

using Origins = std::vector<std::pair<std::string, std::string>>;

void collect_origins(const json& value, const std::string& path, const Layers& layers, Origins& origins) {
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) collect_origins(child, join_path(path, key), layers, origins);
  } else if (const Source* source = layers.own_source(path)) {
    origins.emplace_back(path, source->label);
  }
}

/// `kinds` null: the rules across keys are left out.
LoadedConfig load(const std::filesystem::path& file, const std::vector<Assignment>& assignments,
                  const std::vector<std::string>* kinds) {
  Layers layers;
  layers.lay_file(file);
  Problems problems;
  for (const Assignment& assignment : assignments) layers.assign(assignment, problems);
  ProblemList list(layers, problems);
  FileConfig config;
  config.name = file.stem().string();
  read_section(layers.values(), "", list, config);
  if (config.name.empty()) config.name = file.stem().string();
  if (kinds != nullptr) add_rule_problems(config, *kinds, layers, problems);
  throw_problems(problems, file.string());
  // Sections are merged key by key, so each axis may be from another file.
  for (GridAxis& axis : config.sweep.axes.list) axis.folder = layers.source("sweep.axes." + axis.name).folder;
  LoadedConfig loaded{.config = config, .sweep = config.sweep, .resolved = config_to_json(config), .origins = {}};
  check_writable(loaded.resolved, file);
  collect_origins(loaded.resolved, "", layers, loaded.origins);
  return loaded;
}

}  // namespace

LoadedConfig load_config(const std::filesystem::path& file, const std::vector<Assignment>& assignments,
                         const std::vector<std::string>& kinds) {
  return load(file, assignments, &kinds);
}

LoadedConfig read_config(const std::filesystem::path& file, const std::vector<Assignment>& assignments) {
  return load(file, assignments, nullptr);
}

Problems assignment_problems(const Assignment& assignment) {
  Layers layers;
  Problems problems;
  layers.assign(assignment, problems);
  ProblemList list(layers, problems);
  RunConfig config;
  read_section(layers.values(), "", list, config);
  return problems;
}

RunConfig config_from_json(const json& resolved, const std::string& origin) {
  Layers layers;
  layers.lay(resolved, {.label = origin, .folder = {}, .text = ""});
  RunConfig config;
  Problems problems;
  ProblemList list(layers, problems);
  if (resolved.is_object()) {
    read_section(resolved, "", list, config);
  } else {
    list.add("", "a configuration is a JSON object, not " + shown(resolved));
  }
  throw_problems(problems, origin);
  return config;
}

}  // namespace mha
