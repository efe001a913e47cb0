#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace mha {

/// Memory for large blocks that come and go in every training step. Blocks are cut from few big pieces of address space
/// (in huge pages where the kernel gives them), the smallest free one that is large enough first, and joined again with
/// their free neighbours; nothing is given back to the kernel while the arena lives. Since small objects, which may
/// live long, are kept elsewhere, the big pieces do not fragment. Safe to use from several threads.
class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// A block of at least `bytes` bytes, aligned to 64; null if the kernel gives no more memory.
  void* allocate(std::size_t bytes);
  /// Takes a block back and returns what it held, with its head; 0, and nothing happens, if it is not of this arena.
  std::size_t release(void* block);
  /// What a block holds, with its head; 0 if it is not of this arena.
  std::size_t size_of(const void* block) const;

 private:
  struct Block;  // the head before every block
  struct Piece {
    Block* last;  // the block at its end
    std::size_t size;
  };

  Block* head_of(const void* block) const;
  Block* grow(std::size_t size);
  void add_free(Block* block);
  void take_free(Block* block);
  static void join_with_next(Block* block);

  mutable std::mutex mutex_;
  std::map<const char*, Piece> pieces_;            // by start
  std::set<std::pair<std::size_t, Block*>> free_;  // by size, then address
};

/// Blocks of so many bytes and more belong into an arena; with sanitizers none, as they watch over malloc only.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr std::size_t kLargeBlock = std::numeric_limits<std::size_t>::max();
#else
inline constexpr std::size_t kLargeBlock = std::size_t{64} << 10;
#endif
/// The program's arena: what training frees, decoding takes, and the other way round. It is never destroyed, as tensors
/// may be freed as late as the program's end.
Arena& large_blocks();

}  // namespace mha
