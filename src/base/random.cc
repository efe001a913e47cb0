#include "base/random.h"

namespace mha {

IndexPermutation::IndexPermutation(std::uint64_t size, std::uint64_t key) : size_(size), key_(key), half_bits_(1) {
  while (half_bits_ < 32 && (1ULL << (2 * half_bits_)) < size) ++half_bits_;
}

std::uint64_t IndexPermutation::operator()(std::uint64_t index) const {
  const std::uint64_t mask = (1ULL << half_bits_) - 1;
  do {
    std::uint64_t left = index >> half_bits_;
    std::uint64_t right = index & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t mixed = mix64(key_ + round * 0x9e3779b97f4a7c15ULL + mix64(right)) & mask;
      left = std::exchange(right, left ^ mixed);
    }
    index = (left << half_bits_) | right;
  } while (index >= size_);
  return index;
}

}  // namespace mha
