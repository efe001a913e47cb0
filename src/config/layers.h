#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/values.h"

namespace mha {

/// "a.b" of "a" and "b"; a path of the top level is just the key.
std::string join_path(const std::string& path, const std::string& key);

/// JSON if `text` reads as such, else the text itself. Brackets and quotes promise JSON: UserError naming `origin`.
json json_or_text(const std::string& text, const std::string& origin);

/// Pieces of configuration laid one over another, and for each key which piece it is from. Objects are merged, anything
/// else replaces what was there.
class Layers {
 public:
  void lay(const json& piece, const Source& source);
  /// Lays FILE over what is there, below it everything that it extends. Throws UserError naming the chain of files when
  /// one cannot be read or they extend each other in a circle.
  void lay_file(const std::filesystem::path& file);
  void assign(const Assignment& assignment, Problems& problems);

  const json& values() const { return values_; }
  /// The source of a key: its own, or that of the nearest section around it that has one, or "the defaults".
  const Source& source(const std::string& path) const;
  /// The source of exactly this key, or null.
  const Source* own_source(const std::string& path) const;

 private:
  void lay_file(const std::filesystem::path& file, std::vector<std::filesystem::path>& chain);
  void merge(json& into, const json& piece, const std::string& path, const Source& source);
  void record(const json& value, const std::string& path, const Source& source);

  json values_ = json::object();
  std::map<std::string, Source> sources_;
};

}  // namespace mha
