#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "config/data_config.h"

namespace mha {

/// One line of each side as it stands in the files. Views are valid until the reader moves on.
struct TextPair {
  std::string_view source, target;
};

/// The pairs of a split, one after another, without holding the files in memory. Throws UserError when the split names
/// its files wrongly, when the two files of a pair differ in length (both names, both counts), when a TSV line has not
/// exactly two columns (file and line).
class PairReader {
 public:
  /// `split_name` is the configuration key ("data.train") for messages.
  PairReader(const SplitConfig& split, std::string split_name);
  bool next(TextPair& pair);
  bool has_target() const { return !split_.tsv.empty() || !split_.target.empty(); }
  /// "train.en, line 12": where the pair that next() gave last stands.
  std::string where() const;

 private:
  bool open_next_file();
  bool read_columns(TextPair& pair);
  bool read_sides(TextPair& pair);
  [[noreturn]] void fail_unequal(std::int64_t source_lines, std::int64_t target_lines) const;

  SplitConfig split_;
  std::string split_name_;
  std::size_t file_ = 0;   // number of files opened
  std::int64_t line_ = 0;  // of the open file, from 1
  std::unique_ptr<LineReader> source_, target_;
};

}  // namespace mha
