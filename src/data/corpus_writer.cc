#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "data/corpus_file.h"
#include "data/corpus_layout.h"

namespace mha {
namespace {

static_assert(std::endian::native == std::endian::little, "the corpus file is little-endian");

constexpr std::size_t kBuffered = 1U << 18;  // numbers

json to_json(const PairCounts& counts) {
  return {{"read", counts.read},
          {"used", counts.used},
          {"truncated", counts.truncated},
          {"repaired", counts.repaired},
          {"dropped", counts.dropped},
          {"source_tokens", counts.source_tokens},
          {"target_tokens", counts.target_tokens},
          {"source_unknown", counts.source_unknown},
          {"target_unknown", counts.target_unknown}};
}

}  // namespace

CorpusWriter::CorpusWriter(const std::filesystem::path& path) : file_(path), offsets_{0}, folder_(path.parent_path()) {
  std::string name = (folder_ / ".offsets-XXXXXX").string();
  offsets_file_ = mkstemp(name.data());
  if (offsets_file_ < 0) throw UserError("cannot write in " + folder_.string() + ": " + std::strerror(errno));
  unlink(name.c_str());
  file_.write(kCorpusMark);
}

CorpusWriter::~CorpusWriter() { close(offsets_file_); }

void CorpusWriter::add(std::span<const TokenId> source, std::span<const TokenId> target) {
  add_sequence(source);
  add_sequence(target);
  if (tokens_.size() >= kBuffered) flush_tokens();
  if (offsets_.size() >= kBuffered) flush_offsets();
}

void CorpusWriter::add_sequence(std::span<const TokenId> sequence) {
  tokens_.insert(tokens_.end(), sequence.begin(), sequence.end());
  token_count_ += sequence.size();
  offsets_.push_back(token_count_);
}

void CorpusWriter::put(const void* data, std::size_t bytes) {
  checksum_ = crc32_of(checksum_, data, bytes);
  file_.write(data, bytes);
}

void CorpusWriter::flush_tokens() {
  put(tokens_.data(), tokens_.size() * sizeof(TokenId));
  tokens_.clear();
}

void CorpusWriter::flush_offsets() {
  const char* at = reinterpret_cast<const char*>(offsets_.data());
  for (std::size_t left = offsets_.size() * sizeof(std::uint64_t); left > 0;) {
    const ssize_t done = write(offsets_file_, at, left);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw UserError("cannot write in " + folder_.string() + ": " + std::strerror(errno));
    at += done;
    left -= static_cast<std::size_t>(done);
  }
  offset_count_ += offsets_.size();
  offsets_.clear();
}

void CorpusWriter::commit(const PairCounts& counts, const std::string& hash) {
  if (token_count_ % 2 == 1) tokens_.push_back(SpecialIds::pad);  // offsets start at a multiple of 8 bytes
  flush_tokens();
  flush_offsets();
  std::vector<char> block(kBuffered);
  off_t at = 0;
  for (ssize_t got; (got = pread(offsets_file_, block.data(), block.size(), at)) != 0; at += got) {
    if (got < 0) throw UserError("cannot read back from " + folder_.string() + ": " + std::strerror(errno));
    put(block.data(), static_cast<std::size_t>(got));
  }
  const std::string description = json{
      {"pairs", offset_count_ / 2},
      {"tokens", token_count_},
      {"hash", hash},
      {"counts", to_json(counts)},
      {"crc32", checksum_}}.dump();
  const std::uint64_t length = description.size();
  file_.write(description);
  file_.write(&length, sizeof(length));
  file_.write(sha256_hex(description));
  file_.write(kCorpusMark);
  file_.commit();
}

}  // namespace mha
