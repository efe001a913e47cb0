#include "config/layers.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace mha {
namespace {

constexpr std::size_t kMostFiles = 50;  // of a chain of `extends`

/// "a.json -> b.json -> c.json": who extends whom.
std::string chain_text(const std::vector<std::filesystem::path>& chain) {
  std::vector<std::string> names;
  for (const auto& file : chain) names.push_back(file.string());
  return join(names, " -> ");
}

/// The last file of the chain; what is wrong with it is said together with who extends it.
json read_extended(const std::filesystem::path& file, const std::vector<std::filesystem::path>& chain) {
  try {
    return read_json(file);
  } catch (const UserError& error) {
    if (chain.size() == 1) throw;
    throw UserError(std::string(error.what()) + " (" + chain_text(chain) + ")");
  }
}

}  // namespace

json json_or_text(const std::string& text, const std::string& origin) {
  const bool promised = !text.empty() && std::string_view("{[\"").find(text.front()) != std::string_view::npos;
  try {
    return parse_json(text, origin);
  } catch (const UserError&) {
    if (promised) throw;
    return text;
  }
}

Assignment parse_assignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return {.path = text, .value = "", .malformed = true};
  return {.path = text.substr(0, equals), .value = text.substr(equals + 1)};
}

std::string join_path(const std::string& path, const std::string& key) { return path.empty() ? key : path + "." + key; }

void Layers::lay(const json& piece, const Source& source) { merge(values_, piece, "", source); }

void Layers::merge(json& into, const json& piece, const std::string& path, const Source& source) {
  if (into.is_object() && piece.is_object()) {
    for (const auto& [key, value] : piece.items()) {
      const std::string inner = join_path(path, key);
      if (into.contains(key)) {
        merge(into[key], value, inner, source);
      } else {
        into[key] = value;
        record(value, inner, source);
      }
    }
    return;
  }
  std::erase_if(sources_, [&](const auto& entry) { return entry.first.starts_with(path + "."); });
  into = piece;
  record(piece, path, source);
}

void Layers::record(const json& value, const std::string& path, const Source& source) {
  sources_[path] = source;
  if (!value.is_object()) return;
  Source inner = source;
  inner.text.clear();
  for (const auto& [key, child] : value.items()) record(child, join_path(path, key), inner);
}

void Layers::lay_file(const std::filesystem::path& file) {
  std::vector<std::filesystem::path> chain;
  lay_file(file, chain);
}

void Layers::lay_file(const std::filesystem::path& file, std::vector<std::filesystem::path>& chain) {
  const auto same = [&](const auto& other) {
    std::error_code ec;  // a name that cannot be looked up is empty here, and reading it will say why
    return std::filesystem::weakly_canonical(other, ec) == std::filesystem::weakly_canonical(file, ec);
  };
  const bool circle = std::ranges::any_of(chain, same);
  chain.push_back(file);
  if (chain.size() > kMostFiles) {
    throw UserError("more than " + std::to_string(kMostFiles) + " configuration files extend each other, from " +
                    chain.front().string() + " to " + file.string());
  }
  if (circle) throw UserError("configuration files extend each other in a circle: " + chain_text(chain));
  json piece = read_extended(file, chain);
  if (!piece.is_object()) throw UserError(file.string() + ": a configuration is a JSON object, not " + shown(piece));
  if (piece.contains("extends")) {
    const json& base = piece["extends"];
    if (!base.is_string() || base.get<std::string>().empty()) {
      throw UserError(file.string() + ": extends must be the path of a file, not " + shown(base));
    }
    lay_file((file.parent_path() / base.get<std::string>()).lexically_normal(), chain);
    piece.erase("extends");
  }
  piece.erase("$schema");  // for editors
  lay(piece, {.label = file.string(), .folder = std::filesystem::absolute(file).parent_path(), .text = ""});
  chain.pop_back();
}

void Layers::assign(const Assignment& assignment, Problems& problems) {
  const auto keys = split(assignment.path, '.');
  const auto refuse = [&](std::string message) {
    problems.push_back({assignment.path, std::move(message), assignment.origin, ""});
  };
  if (assignment.malformed) return refuse("is no assignment: write KEY=VALUE, such as model.d_model=256");
  for (const std::string& text : {assignment.path, assignment.value}) {
    if (invalid_utf8_at(text) != std::string_view::npos) return refuse("is not UTF-8, which JSON is written in");
  }
  if (std::ranges::any_of(keys, &std::string::empty)) return refuse("is not a path of keys such as model.d_model");
  if (keys.front() == "extends") return refuse("can only stand in a file");

  std::string path;
  const json* at = &values_;
  for (std::size_t i = 0; i + 1 < keys.size() && at != nullptr; ++i) {
    path = join_path(path, keys[i]);
    const bool there = at->contains(keys[i]) && !(*at)[keys[i]].is_null();
    at = there ? &(*at)[keys[i]] : nullptr;
    if (at != nullptr && !at->is_object()) {
      return refuse("cannot be set: " + path + " is " + shown(*at) + " (" + source(path).label + "), not a section");
    }
  }
  json piece;
  try {
    piece = json_or_text(assignment.value, assignment.origin + " " + assignment.path);
  } catch (const UserError& error) {
    return refuse(error.what());
  }
  const std::filesystem::path folder = assignment.folder.empty() ? std::filesystem::current_path() : assignment.folder;
  const Source origin{.label = assignment.origin, .folder = folder, .text = assignment.value};
  // Written by hand rather than laid as nested objects: only the key itself is from here, not the sections around it.
  json* target = &values_;
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    json& next = (*target)[keys[i]];
    if (next.is_null()) next = json::object();
    target = &next;
  }
  if (!target->contains(keys.back())) (*target)[keys.back()] = nullptr;
  merge((*target)[keys.back()], piece, assignment.path, origin);
}

const Source* Layers::own_source(const std::string& path) const {
  const auto found = sources_.find(path);
  return found == sources_.end() ? nullptr : &found->second;
}

const Source& Layers::source(const std::string& path) const {
  static const Source defaults{.label = "the defaults", .folder = {}, .text = ""};
  for (std::string at = path;;) {
    if (const Source* found = own_source(at)) return *found;
    const std::size_t dot = at.rfind('.');
    if (dot == std::string::npos) return defaults;
    at.resize(dot);
  }
}

}  // namespace mha
