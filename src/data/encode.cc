#include "data/encode.h"

#include <algorithm>

#include "base/text.h"
#include "data/clean_text.h"

namespace mha {
namespace {

/// Why the pair is no training pair whatever its length, or null.
const char* flaw(const TextPair& text) {
  if (text.source.empty() && text.target.empty()) return "empty_both";
  if (text.source.empty()) return "empty_source";
  if (text.target.empty()) return "empty_target";
  if (is_blank(text.source) || is_blank(text.target)) return "blank";
  if (!is_text(text.source) || !is_text(text.target)) return "invalid_utf8";
  return nullptr;
}

std::vector<TokenId> encode_line(std::string_view line, const Vocabulary& vocabulary, bool lowercase) {
  return vocabulary.encode(lowercase ? lower_text(line) : line);
}

bool cut(std::vector<TokenId>& ids, std::int64_t max_length) {
  const auto most = static_cast<std::size_t>(max_length - 1);  // room for EOS
  if (ids.size() <= most) return false;
  ids.resize(most);
  return true;
}

std::int64_t count_unknown(const std::vector<TokenId>& ids) {
  return std::count(ids.begin(), ids.end(), SpecialIds::unk);
}

}  // namespace

EncodeOptions EncodeOptions::of(const DataConfig& data, bool training) {
  return {training, data.lowercase, data.max_source_length, data.max_target_length, data.long_pairs, 0};
}

EncodedLine encode_source_line(std::string_view line, const Vocabulary& vocabulary, const EncodeOptions& options) {
  EncodedLine encoded{encode_line(line, vocabulary, options.lowercase)};
  encoded.truncated = cut(encoded.ids, options.max_source_length);
  return encoded;
}

EncodedPair encode_pair(const TextPair& text, const VocabularyPair& vocabularies, const EncodeOptions& options) {
  EncodedPair pair;
  if (options.training) pair.dropped = flaw(text);
  if (pair.dropped != nullptr) return pair;
  pair.repaired = !is_text(text.source) || !is_text(text.target);
  pair.source = encode_line(text.source, *vocabularies.source, options.lowercase);
  pair.target = encode_line(text.target, *vocabularies.target, options.lowercase);
  const bool source_cut = cut(pair.source, options.max_source_length);
  const bool target_cut = cut(pair.target, options.max_target_length);
  pair.truncated = source_cut || target_cut;
  if (pair.truncated && options.training && options.long_pairs != LongPairs::truncate) pair.dropped = "too_long";
  pair.source.push_back(SpecialIds::eos);
  pair.target.push_back(SpecialIds::eos);
  return pair;
}

void count_pair(const EncodedPair& pair, PairCounts& counts) {
  ++counts.read;
  if (pair.dropped != nullptr) {
    ++counts.dropped[pair.dropped];
    return;
  }
  ++counts.used;
  counts.truncated += pair.truncated ? 1 : 0;
  counts.repaired += pair.repaired ? 1 : 0;
  counts.source_tokens += static_cast<std::int64_t>(pair.source.size());
  counts.target_tokens += static_cast<std::int64_t>(pair.target.size());
  counts.source_unknown += count_unknown(pair.source);
  counts.target_unknown += count_unknown(pair.target);
}

std::string describe(const PairCounts& counts) {
  std::string text = format_count(counts.read) + " pairs read, " + format_count(counts.used) + " used";
  const char* before = "; dropped: ";
  for (const auto& [reason, number] : counts.dropped) {
    text += before + format_count(number) + " " + reason;
    before = ", ";
  }
  if (counts.truncated > 0) text += "; " + format_count(counts.truncated) + " cut to the longest length";
  if (counts.repaired > 0)
    text += "; in " + format_count(counts.repaired) + " U+FFFD stands in for bytes that are not text";
  return text;
}

}  // namespace mha
