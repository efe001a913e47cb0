#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/stop.h"
#include "data/batch.h"
#include "data/cut_batches.h"

namespace mha {

struct BatchSequence::Entry {
  std::int64_t place;  // in the permutation
  SizedPair sized;
  std::int64_t sum;  // of both lengths
};

namespace {

/// Pairs that are ordered by length at a time: large enough for little padding, small enough to order in 10 ms.
constexpr std::int64_t kPool = 65536;

std::uint64_t key_of(std::uint64_t seed, Stream purpose, std::int64_t epoch, std::int64_t part = 0) {
  return derive_key(
      {seed, static_cast<std::uint64_t>(purpose), static_cast<std::uint64_t>(epoch), static_cast<std::uint64_t>(part)});
}

}  // namespace

BatchSequence::BatchSequence(CorpusPtr corpus, const Options& options) : corpus_(std::move(corpus)), options_(options) {
  if (corpus_->size() == 0) throw UserError("there is no pair to train on");
}

void BatchSequence::start_epoch(std::int64_t epoch) {
  position_ = {epoch, 0};
  pool_start_ = 0;
  ready_.clear();
}

void BatchSequence::fill_pool() {
  const std::int64_t end = std::min(pool_start_ + kPool, corpus_->size());
  std::vector<Entry> pool = read_lengths(end);
  const bool bucketed = options_.batching == Batching::bucketed;
  std::sort(pool.begin(), pool.end(), [&](const Entry& a, const Entry& b) {
    // The longer side decides how many fit; among equals, similar shorter sides save padding too.
    if (bucketed && a.sized.length != b.sized.length) return a.sized.length < b.sized.length;
    if (bucketed && a.sum != b.sum) return a.sum < b.sum;
    return a.place < b.place;
  });
  std::vector<SizedPair> pairs;
  for (const Entry& entry : pool) pairs.push_back(entry.sized);
  auto batches = cut_batches(pairs, {options_.max_tokens, options_.max_sentences, options_.batching});
  if (bucketed) {
    RandomStream random(key_of(options_.seed, Stream::batch_order, position_.epoch, pool_start_ / kPool));
    shuffle(batches, random);
  }
  ready_.assign(std::make_move_iterator(batches.begin()), std::make_move_iterator(batches.end()));
  pool_start_ = end;
}

std::vector<BatchSequence::Entry> BatchSequence::read_lengths(std::int64_t end) const {
  const IndexPermutation order(static_cast<std::uint64_t>(corpus_->size()),
                               key_of(options_.seed, Stream::shuffle, position_.epoch));
  std::vector<Entry> pool;
  for (std::int64_t place = pool_start_; place < end; ++place) {
    pool.push_back({place, {static_cast<std::int64_t>(order(static_cast<std::uint64_t>(place))), 0}, 0});
  }
  // Read in the order of the corpus, each page of the mapped file is fetched once.
  std::sort(pool.begin(), pool.end(), [](const Entry& a, const Entry& b) { return a.sized.pair < b.sized.pair; });
  for (Entry& entry : pool) {
    const auto source = static_cast<std::int64_t>(corpus_->source(entry.sized.pair).size());
    const auto target = static_cast<std::int64_t>(corpus_->target(entry.sized.pair).size());
    entry.sized.length = std::max(source, target);
    entry.sum = source + target;
  }
  return pool;
}

std::vector<std::int64_t> BatchSequence::next() {
  if (ready_.empty()) fill_pool();
  std::vector<std::int64_t> batch = std::move(ready_.front());
  ready_.pop_front();
  ++position_.batch;
  if (epoch_done()) start_epoch(position_.epoch + 1);
  return batch;
}

void BatchSequence::seek(const BatchPosition& position) {
  start_epoch(position.epoch);
  std::int64_t left = position.batch;
  fill_pool();
  while (left >= std::ssize(ready_)) {
    left -= std::ssize(ready_);
    ready_.clear();
    if (epoch_done()) {
      throw std::out_of_range("epoch " + std::to_string(position.epoch) + " has no batch " +
                              std::to_string(position.batch));
    }
    throw_if_stopped();
    fill_pool();
  }
  ready_.erase(ready_.begin(), ready_.begin() + left);
  position_ = position;
}

}  // namespace mha
