#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/config.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace mha::testing {

inline const std::vector<std::string> kinds = {"scaled_dot", "per_head"};

/// Configuration files in a folder of their own.
class ConfigFiles {
 public:
  /// The least that is a whole configuration; tests lay others over it.
  ConfigFiles() {
    folder_.write("base.json",
                  R"({"data": {"train": {"source": ["t.en"], "target": ["t.de"]}}, "train": {"max_update": 10}})");
  }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

  LoadedConfig load(const std::string& name, const std::vector<std::string>& sets = {}) const {
    std::vector<Assignment> assignments;
    for (const auto& text : sets) assignments.push_back(parse_assignment(text));
    return load_config(folder_ / name, assignments, kinds);
  }
  /// base.json with `sets`.
  RunConfig with(const std::vector<std::string>& sets) const { return load("base.json", sets).config; }
  /// What load_config says against base.json with `sets`.
  std::string refusal(const std::vector<std::string>& sets) const {
    return message_of([&] { load("base.json", sets); });
  }
  /// What it says against a file of this text over base.json; `text`: the inside of the outer braces.
  std::string refusal_of_file(const std::string& text) const {
    write("x.json", R"({"extends": "base.json", )" + text + "}");
    return message_of([&] { load("x.json"); });
  }

 private:
  TemporaryFolder folder_;
};

/// The number of lines that name a problem.
inline std::size_t problem_count(const std::string& message) {
  std::size_t count = 0;
  for (std::size_t at = message.find("\n  "); at != std::string::npos; at = message.find("\n  ", at + 1)) ++count;
  return count;
}

}  // namespace mha::testing
