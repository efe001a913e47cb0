#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/data_config.h"
#include "data/vocabulary.h"

namespace mha {

/// The raw lines of a split, in file order. `target` is empty for a split that has none.
struct ParallelText {
  std::vector<std::string> source, target;
};

/// All lines of a validation or test split. Bytes of a source that are no UTF-8 become U+FFFD (and a warning); targets,
/// the references, are the raw bytes. Throws UserError with both names and both counts if the sides differ in length,
/// naming the line for a TSV line that has not two columns.
ParallelText read_parallel(const SplitConfig& split, const std::string& split_name);

/// What became of the pairs of a split.
struct PairCounts {
  std::int64_t read = 0, used = 0;
  std::int64_t truncated = 0;  // used pairs of which a side was cut
  std::int64_t repaired = 0;   // used pairs in which U+FFFD stands in for bytes that are no text (evaluation only)
  /// By reason: empty_both, empty_source, empty_target, blank (a side is all white space), invalid_utf8 (malformed or
  /// U+0000), too_long.
  std::map<std::string, std::int64_t> dropped;
  std::int64_t source_tokens = 0, target_tokens = 0;    // of the used pairs, EOS counted
  std::int64_t source_unknown = 0, target_unknown = 0;  // UNK among them

  bool operator==(const PairCounts&) const = default;
};

/// Encoded pairs, memory-mapped from a cache file: opening is immediate, and the pages of a large corpus are given back
/// as they are used, so that resident memory does not grow with it. Sequences end with EOS and have no BOS. Safe to
/// read from several threads.
class EncodedCorpus {
 public:
  virtual ~EncodedCorpus() = default;
  virtual std::int64_t size() const = 0;
  virtual std::span<const TokenId> source(std::int64_t pair) const = 0;
  virtual std::span<const TokenId> target(std::int64_t pair) const = 0;
  virtual const PairCounts& counts() const = 0;
  /// SHA-256 over the files of both sides, the vocabularies and the options that shape the encoding.
  virtual const std::string& hash() const = 0;
};
using CorpusPtr = std::shared_ptr<const EncodedCorpus>;

/// How a split is encoded. Training drops pairs (empty, too long) and counts them; evaluation keeps every line, cuts
/// what is too long (the encoded target too; reference text is never touched) and encodes an empty line as EOS alone.
struct EncodeOptions {
  bool training = true;
  bool lowercase = false;
  std::int64_t max_source_length = 250, max_target_length = 250;  // subwords, EOS counted
  LongPairs long_pairs = LongPairs::skip;                         // training only
  std::int64_t threads = 0;                                       // that encode a corpus; 0: all there are

  static EncodeOptions of(const DataConfig& data, bool training);
};

/// One line to translate as evaluation encodes it: cleaned (data/clean_text.h), lower-cased if asked, cut to
/// max_source_length; without EOS, for corpus_of_pairs.
struct EncodedLine {
  std::vector<TokenId> ids;
  bool truncated = false;
};
EncodedLine encode_source_line(std::string_view line, const Vocabulary& vocabulary, const EncodeOptions& options);

/// Opens the encoded form of a split from `cache_dir`, making it first if it is not there (streaming; memory does not
/// grow with the corpus; written to a temporary name and renamed; asks stop_signal()); of several processes one makes
/// it. The cache key is the files' content, the vocabularies and the options; a damaged cache file is made anew. Lines
/// that were cut or repaired are told of every time. A
/// split without targets gets targets of EOS alone. Throws UserError if no usable pair is left, with the counts of why.
CorpusPtr open_corpus(const SplitConfig& split, const std::string& split_name, const VocabularyPair& vocabularies,
                      const EncodeOptions& options, const std::filesystem::path& cache_dir);

/// An in-memory corpus of given pairs (ids without EOS; EOS is added): tests, translation of stdin.
CorpusPtr corpus_of_pairs(std::vector<std::pair<std::vector<TokenId>, std::vector<TokenId>>> pairs);

/// Vocabularies for a run: those the configuration names, or trained on the training text (of more than a million pairs
/// on a fixed sample of a million) and cached by content hash. A size that the text is too small for: UserError with
/// the largest size if hard_limit, else the largest is used and said in the log; Vocabulary::size() is what counts.
VocabularyPair make_vocabularies(const VocabConfig& config, const DataConfig& data,
                                 const std::filesystem::path& cache_dir);

}  // namespace mha
