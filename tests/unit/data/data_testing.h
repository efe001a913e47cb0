#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "config/data_config.h"
#include "data/vocabulary.h"

namespace mha::testing {

/// A folder that lasts as long as the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "mha-data-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, std::string_view content) const {
    write_file(path_ / name, content);
    return path_ / name;
  }
  /// Names of the files that start with `prefix`.
  std::vector<std::string> names(const std::string& prefix) const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      if (std::string name = entry.path().filename().string(); name.starts_with(prefix))
        found.push_back(std::move(name));
    }
    return found;
  }

 private:
  std::filesystem::path path_;
};

inline std::filesystem::path corpora_folder() { return std::filesystem::path(MHA_TEST_DATA) / "corpora"; }

/// The files NAME.src and NAME.trg of tests/cases/corpora.
inline SplitConfig case_split(const std::string& name) {
  SplitConfig split;
  split.source = {corpora_folder() / (name + ".src")};
  split.target = {corpora_folder() / (name + ".trg")};
  return split;
}

/// A list of the words that the made-up corpora consist of.
inline VocabularyPair case_words() {
  const VocabularyPtr words = vocabulary_from_bytes(
      "a\nred\nbird\nsings\ntwo\ncats\nsleep\nhere\nthe\nold\ndoor\nis\nopen\nrain\nfell\nall\nday\nwe\nwalk\nto\ntown"
      "\nword\n"
      "rotas\nvogelo\nsingas\ndu\nkatoj\ndormas\ntie\nla\nmalnova\npordo\nestas\naperta\npluvo\nfalis\ntuttage\nni\nira"
      "s\nal\nurbo\nvorto\n",
      "the word list");
  return {words, words};
}

/// Expects that `statement` throws UserError and that its message holds each of the strings.
#define EXPECT_USER_ERROR(statement, ...)                                                           \
  try {                                                                                             \
    statement;                                                                                      \
    ADD_FAILURE() << "no UserError was thrown";                                                     \
  } catch (const ::mha::UserError& error) {                                                         \
    for (const char* part_ : {__VA_ARGS__}) EXPECT_THAT(error.what(), ::testing::HasSubstr(part_)); \
  }

}  // namespace mha::testing
