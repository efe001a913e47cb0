#pragma once

#include <filesystem>
#include <string>

#include "base/file.h"
#include "data/corpus.h"

namespace mha {

/// The cache file of an encoded corpus, numbers little-endian:
///   "MHACORP2"
///   int32  tokens: for each pair its source, then its target
///   uint64 offsets, 2 * pairs + 1: where each of these sequences begins, in tokens, from 0; the last one is their end
///          (starts at a multiple of 8)
///   JSON   {"pairs", "tokens", "hash", "counts", "crc32"}; the last is of tokens and offsets
///   uint64 bytes of the JSON, 64 hexadecimal digits of its SHA-256, "MHACORP2"
/// The description stands at the end so that the file can be written in one go.
class CorpusWriter {
 public:
  explicit CorpusWriter(const std::filesystem::path& path);
  ~CorpusWriter();
  CorpusWriter(const CorpusWriter&) = delete;
  CorpusWriter& operator=(const CorpusWriter&) = delete;

  /// Both with EOS.
  void add(std::span<const TokenId> source, std::span<const TokenId> target);
  /// Completes the file and gives it its name.
  void commit(const PairCounts& counts, const std::string& hash);

 private:
  void add_sequence(std::span<const TokenId> sequence);
  void put(const void* data, std::size_t bytes);
  void flush_tokens();
  void flush_offsets();

  AtomicFile file_;
  std::vector<TokenId> tokens_;         // not written yet
  std::vector<std::uint64_t> offsets_;  // not written yet
  std::uint64_t token_count_ = 0, offset_count_ = 0;
  std::uint32_t checksum_ = 0;
  int offsets_file_ = -1;  // nameless; offsets wait here until the tokens are complete
  std::filesystem::path folder_;
};

/// Maps a cache file. Throws UserError if its size, marks, description or checksum are wrong (it was cut, overwritten,
/// damaged on disk or made by another version). Reads the file once for that; none of it stays resident.
CorpusPtr map_corpus(const std::filesystem::path& path);

}  // namespace mha
