#include "ops/arena.h"

#include <sys/mman.h>

#include <algorithm>

namespace mha {
namespace {

constexpr std::size_t kAlignment = 64, kHugePage = std::size_t{2} << 20, kLeastPiece = std::size_t{64} << 20;
/// A rest smaller than this stays with the block that it would be cut from.
constexpr std::size_t kLeastRest = 4096;

std::size_t rounded_up(std::size_t size, std::size_t step) { return (size + step - 1) / step * step; }

/// `size` bytes of address space, at `wanted` if that is free; null if there are none.
void* map_pages(void* wanted, std::size_t size) {
  void* pages = mmap(wanted, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
#if defined(MADV_HUGEPAGE)
  madvise(pages, size, MADV_HUGEPAGE);  // a wish; small pages do too
#endif
  return pages;
}

}  // namespace

/// Blocks of one piece follow each other in memory; before and after are the neighbours, null at the ends.
struct alignas(kAlignment) Arena::Block {
  std::size_t size = 0;  // head included
  Block *before = nullptr, *after = nullptr;
  bool is_free = false;

  char* data() { return reinterpret_cast<char*>(this + 1); }
};

void Arena::add_free(Block* block) { free_.emplace(block->size, block); }

void Arena::take_free(Block* block) { free_.erase({block->size, block}); }

Arena::~Arena() {
  for (const auto& [start, piece] : pieces_) munmap(const_cast<char*>(start), piece.size);
}

void Arena::join_with_next(Block* block) {
  Block* next = block->after;
  block->size += next->size;
  block->after = next->after;
  if (block->after != nullptr) block->after->before = block;
}

/// A free block of at least `size` bytes, not in the free set, in a new piece or at the end of the newest one.
Arena::Block* Arena::grow(std::size_t size) {
  const std::size_t bytes = rounded_up(std::max(size, kLeastPiece), kHugePage);
  char* wanted = nullptr;
  if (!pieces_.empty()) {
    const auto& [start, piece] = *pieces_.rbegin();
    wanted = const_cast<char*>(start) + piece.size;
  }
  void* pages = map_pages(wanted, bytes);
  if (pages == nullptr) return nullptr;
  auto* block = new (pages) Block{.size = bytes, .is_free = true};
  if (pages != wanted || wanted == nullptr) {
    pieces_.emplace(static_cast<const char*>(pages), Piece{.last = block, .size = bytes});
    return block;
  }
  Piece& piece = pieces_.rbegin()->second;
  piece.size += bytes;
  block->before = piece.last;
  piece.last->after = block;
  piece.last = block;
  if (!block->before->is_free) return block;
  Block* joined = block->before;
  take_free(joined);
  join_with_next(joined);
  piece.last = joined;
  return joined;
}

void* Arena::allocate(std::size_t bytes) {
  const std::size_t size = sizeof(Block) + rounded_up(bytes, kAlignment);
  const std::lock_guard lock(mutex_);
  Block* block;
  if (const auto fit = free_.lower_bound({size, nullptr}); fit != free_.end()) {
    block = fit->second;
    free_.erase(fit);
  } else {
    block = grow(size);
    if (block == nullptr) return nullptr;
  }
  if (block->size - size >= kLeastRest) {
    auto* rest = new (reinterpret_cast<char*>(block) + size)
        Block{.size = block->size - size, .before = block, .after = block->after, .is_free = true};
    if (rest->after != nullptr) {
      rest->after->before = rest;
    } else {
      std::prev(pieces_.upper_bound(reinterpret_cast<const char*>(block)))->second.last = rest;
    }
    block->size = size;
    block->after = rest;
    add_free(rest);
  }
  block->is_free = false;
  return block->data();
}

Arena::Block* Arena::head_of(const void* block) const {
  const char* at = static_cast<const char*>(block);
  const auto after = pieces_.upper_bound(at);
  if (after == pieces_.begin()) return nullptr;
  const auto& [start, piece] = *std::prev(after);
  return at < start + piece.size ? reinterpret_cast<Block*>(const_cast<char*>(at)) - 1 : nullptr;
}

std::size_t Arena::release(void* memory) {
  const std::lock_guard lock(mutex_);
  Block* block = head_of(memory);
  if (block == nullptr) return 0;
  const std::size_t held = block->size;
  block->is_free = true;
  Piece& piece = std::prev(pieces_.upper_bound(reinterpret_cast<const char*>(block)))->second;
  if (block->after != nullptr && block->after->is_free) {
    take_free(block->after);
    join_with_next(block);
  }
  if (block->before != nullptr && block->before->is_free) {
    block = block->before;
    take_free(block);
    join_with_next(block);
  }
  if (block->after == nullptr) piece.last = block;
  add_free(block);
  return held;
}

std::size_t Arena::size_of(const void* memory) const {
  const std::lock_guard lock(mutex_);
  const Block* block = head_of(memory);
  return block == nullptr ? 0 : block->size;
}

Arena& large_blocks() {
  static Arena& arena = *new Arena;
  return arena;
}

}  // namespace mha
