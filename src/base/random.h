#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace mha {

/// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014): a bijection of 64 bits in which every output bit depends
/// on every input bit.
constexpr std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

/// One key from several numbers, such as (seed, purpose, epoch); the order matters.
constexpr std::uint64_t derive_key(std::initializer_list<std::uint64_t> parts) {
  std::uint64_t key = 0x9e3779b97f4a7c15ULL;
  for (const std::uint64_t part : parts) key = mix64(key + 0x9e3779b97f4a7c15ULL + mix64(part));
  return key;
}

/// What a random stream is for; part of its key, so that no two streams of a run coincide.
enum class Stream : std::uint64_t { init = 1, shuffle = 2, dropout = 3, batch_order = 4, resample = 5 };

/// SplitMix64: the same numbers on every platform and compiler.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t key) : state_(key) {}
  std::uint64_t next() { return mix64(state_ += 0x9e3779b97f4a7c15ULL); }
  /// Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }
  /// Uniform in [0, bound), bound > 0 (multiply-shift; the bias is below 2^-32 for bounds that fit memory).
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<wide>(next()) * bound) >> 64U);
  }

 private:
  std::uint64_t state_;
};

/// Fisher-Yates.
template <class T>
void shuffle(std::vector<T>& items, RandomStream& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

/// A random permutation of [0, size) that is computed, not stored: a keyed Feistel network on the smallest even number
/// of bits that holds `size`, walked until the value falls inside (cycle walking; Black and Rogaway, 2002).
class IndexPermutation {
 public:
  IndexPermutation(std::uint64_t size, std::uint64_t key);
  std::uint64_t operator()(std::uint64_t index) const;
  std::uint64_t size() const { return size_; }

 private:
  std::uint64_t size_, key_;
  unsigned half_bits_;
};

}  // namespace mha
