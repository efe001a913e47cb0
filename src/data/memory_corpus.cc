#include <stdexcept>
#include <utility>

#include "base/hash.h"
#include "data/corpus.h"
#include "data/encode.h"

namespace mha {
namespace {

class MemoryCorpus final : public EncodedCorpus {
 public:
  explicit MemoryCorpus(std::vector<std::pair<std::vector<TokenId>, std::vector<TokenId>>> pairs) {
    Sha256 hash;
    const auto add_to_hash = [&](const std::vector<TokenId>& ids) {
      hash.update(ids.data(), ids.size() * sizeof(TokenId));
    };
    for (auto& [source, target] : pairs) {
      source.push_back(SpecialIds::eos);
      target.push_back(SpecialIds::eos);
      pairs_.push_back({std::move(source), std::move(target)});
      count_pair(pairs_.back(), counts_);
      add_to_hash(pairs_.back().source);
      add_to_hash(pairs_.back().target);
    }
    hash_ = hash.hex();
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(pairs_.size()); }
  std::span<const TokenId> source(std::int64_t pair) const override {
    return pairs_.at(static_cast<std::size_t>(pair)).source;
  }
  std::span<const TokenId> target(std::int64_t pair) const override {
    return pairs_.at(static_cast<std::size_t>(pair)).target;
  }
  const PairCounts& counts() const override { return counts_; }
  const std::string& hash() const override { return hash_; }

 private:
  std::vector<EncodedPair> pairs_;
  PairCounts counts_;
  std::string hash_;
};

}  // namespace

CorpusPtr corpus_of_pairs(std::vector<std::pair<std::vector<TokenId>, std::vector<TokenId>>> pairs) {
  return std::make_shared<MemoryCorpus>(std::move(pairs));
}

}  // namespace mha
