#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "data/corpus_file.h"
#include "data/corpus_layout.h"

namespace mha {
namespace {

/// Every page that was read counts as resident until it is given back, and the kernel maps 16 pages (64 KiB) around
/// each one it fetches. A corpus larger than kSmall gives all of them back after kReads reads of two places each: at
/// most 32 MiB stay. Giving back costs little, as the pages remain in the page cache.
constexpr std::size_t kSmall = 64U << 20;
constexpr std::uint64_t kReads = 256;

PairCounts counts_from_json(const json& from) {
  PairCounts counts;
  from.at("read").get_to(counts.read);
  from.at("used").get_to(counts.used);
  from.at("truncated").get_to(counts.truncated);
  from.at("repaired").get_to(counts.repaired);
  from.at("dropped").get_to(counts.dropped);
  from.at("source_tokens").get_to(counts.source_tokens);
  from.at("target_tokens").get_to(counts.target_tokens);
  from.at("source_unknown").get_to(counts.source_unknown);
  from.at("target_unknown").get_to(counts.target_unknown);
  return counts;
}

class MappedCorpus final : public EncodedCorpus {
 public:
  explicit MappedCorpus(const std::filesystem::path& path) : file_(path), path_(path) {
    const std::string_view all(file_.data(), file_.size());
    const std::string_view description = checked_description(all);
    try {
      read_description(parse_json(description, path.string()));
    } catch (const json::exception&) {
      fail("its description lacks what this version writes");
    }
    const std::size_t offsets_at = kCorpusMark.size() + (token_count_ + 1) / 2 * 8;
    const std::size_t expected =
        offsets_at + (2 * pairs_ + 1) * sizeof(std::uint64_t) + description.size() + kCorpusTail;
    if (expected != all.size()) fail("its size is wrong");
    check_content(kCorpusMark.size(), offsets_at + (2 * pairs_ + 1) * sizeof(std::uint64_t));
    tokens_ = reinterpret_cast<const TokenId*>(file_.data() + kCorpusMark.size());
    offsets_ = reinterpret_cast<const std::uint64_t*>(file_.data() + offsets_at);
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(pairs_); }
  std::span<const TokenId> source(std::int64_t pair) const override { return sequence(2 * index(pair)); }
  std::span<const TokenId> target(std::int64_t pair) const override { return sequence(2 * index(pair) + 1); }
  const PairCounts& counts() const override { return counts_; }
  const std::string& hash() const override { return hash_; }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw UserError("the cache file " + path_.string() + " is damaged (" + why + ")");
  }

  std::string_view checked_description(std::string_view all) const {
    if (all.size() < kCorpusMark.size() + kCorpusTail || !all.starts_with(kCorpusMark) || !all.ends_with(kCorpusMark)) {
      fail("cut, or of another version");
    }
    const std::string_view tail = all.substr(all.size() - kCorpusTail);
    std::uint64_t length = 0;
    std::memcpy(&length, tail.data(), sizeof(length));
    if (length > all.size() - kCorpusMark.size() - kCorpusTail) fail("its description has an impossible length");
    const std::string_view description = all.substr(all.size() - kCorpusTail - length, length);
    if (sha256_hex(description) != tail.substr(sizeof(length), 64)) fail("its description does not match its hash");
    return description;
  }

  void read_description(const json& description) {
    pairs_ = description.at("pairs").get<std::uint64_t>();
    token_count_ = description.at("tokens").get<std::uint64_t>();
    hash_ = description.at("hash").get<std::string>();
    counts_ = counts_from_json(description.at("counts"));
    checksum_ = description.at("crc32").get<std::uint32_t>();
  }

  void check_content(std::size_t begin, std::size_t end) const {
    std::uint32_t sum = 0;
    for (std::size_t at = begin; at < end; at += kSmall) {
      sum = crc32_of(sum, file_.data() + at, std::min(kSmall, end - at));
      if (file_.size() > kSmall) give_back();
    }
    if (sum != checksum_) fail("its content does not match its checksum");
  }

  /// Read-only and shared: no data is lost.
  void give_back() const { madvise(const_cast<char*>(file_.data()), file_.size(), MADV_DONTNEED); }

  std::size_t index(std::int64_t pair) const {
    if (pair < 0 || pair >= size())
      throw std::out_of_range("no pair " + std::to_string(pair) + " in a corpus of " + std::to_string(size()));
    return static_cast<std::size_t>(pair);
  }

  std::span<const TokenId> sequence(std::size_t number) const {
    if (file_.size() > kSmall && reads_.fetch_add(1, std::memory_order_relaxed) % kReads == kReads - 1) {
      give_back();
    }
    const std::uint64_t begin = offsets_[number], end = offsets_[number + 1];
    if (begin >= end || end > token_count_) fail("its offsets are wrong; delete it and start again");
    return {tokens_ + begin, tokens_ + end};
  }

  MappedFile file_;
  std::filesystem::path path_;
  std::uint64_t pairs_ = 0, token_count_ = 0;
  std::uint32_t checksum_ = 0;
  const TokenId* tokens_ = nullptr;
  const std::uint64_t* offsets_ = nullptr;
  PairCounts counts_;
  std::string hash_;
  mutable std::atomic<std::uint64_t> reads_ = 0;
};

}  // namespace

CorpusPtr map_corpus(const std::filesystem::path& path) { return std::make_shared<MappedCorpus>(path); }

}  // namespace mha
