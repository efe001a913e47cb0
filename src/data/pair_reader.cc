#include "data/pair_reader.h"

#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace mha {
namespace {

void check_split(const SplitConfig& split, const std::string& name) {
  if (!split.given()) throw UserError(name + " names no files: give `source` and `target`, or `tsv`");
  if (!split.tsv.empty()) {
    if (split.source.empty() && split.target.empty()) return;
    throw UserError(name + ": `tsv` holds both sides and cannot be combined with `source` and `target`");
  }
  if (split.source.empty()) throw UserError(name + ": `target` is given without `source`");
  if (!split.target.empty() && split.source.size() != split.target.size()) {
    throw UserError(name + ": " + std::to_string(split.source.size()) + " source files but " +
                    std::to_string(split.target.size()) + " target files; each source file needs its target file");
  }
}

std::int64_t count_rest(LineReader& reader) {
  std::int64_t lines = 0;
  for (std::string_view line; reader.next(line);) ++lines;
  return lines;
}

}  // namespace

PairReader::PairReader(const SplitConfig& split, std::string split_name)
    : split_(split), split_name_(std::move(split_name)) {
  check_split(split_, split_name_);
}

bool PairReader::open_next_file() {
  const PathList& files = split_.tsv.empty() ? split_.source : split_.tsv;
  if (file_ == files.size()) return false;
  source_ = std::make_unique<LineReader>(files[file_]);
  if (!split_.target.empty()) target_ = std::make_unique<LineReader>(split_.target[file_]);
  ++file_;
  line_ = 0;
  return true;
}

bool PairReader::next(TextPair& pair) {
  for (;;) {
    if (!source_ && !open_next_file()) return false;
    ++line_;
    if (split_.tsv.empty() ? read_sides(pair) : read_columns(pair)) return true;
    source_.reset();
  }
}

bool PairReader::read_columns(TextPair& pair) {
  std::string_view line;
  if (!source_->next(line)) return false;
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos || line.find('\t', tab + 1) != std::string_view::npos) {
    throw UserError(where() + " (" + split_name_ + "): needed are source and target with one tab between them, found " +
                    std::to_string(split(line, '\t').size()) + " columns");
  }
  pair = {line.substr(0, tab), line.substr(tab + 1)};
  return true;
}

bool PairReader::read_sides(TextPair& pair) {
  const bool has_source = source_->next(pair.source);
  pair.target = {};
  if (!target_) return has_source;
  const bool has_target = target_->next(pair.target);
  if (has_source && !has_target) fail_unequal(line_ + count_rest(*source_), line_ - 1);
  if (!has_source && has_target) fail_unequal(line_ - 1, line_ + count_rest(*target_));
  return has_source;
}

void PairReader::fail_unequal(std::int64_t source_lines, std::int64_t target_lines) const {
  throw UserError(split_name_ + ": the sides differ in length: " + split_.source[file_ - 1].string() + " has " +
                  std::to_string(source_lines) + " lines, " + split_.target[file_ - 1].string() + " has " +
                  std::to_string(target_lines) + "; line n of one must be the translation of line n of the other");
}

std::string PairReader::where() const {
  const PathList& files = split_.tsv.empty() ? split_.source : split_.tsv;
  return files[file_ == 0 ? 0 : file_ - 1].string() + ", line " + std::to_string(line_);
}

}  // namespace mha
