#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace mha {

/// SHA-256, fed in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  Sha256& update(const void* data, std::size_t bytes);
  Sha256& update(std::string_view text) { return update(text.data(), text.size()); }
  /// 64 hexadecimal digits; the object is spent afterwards.
  std::string hex();

 private:
  void* context_;
};

std::string sha256_hex(std::string_view text);
/// Of the lines, each ended by a line feed: what a text is, however its file is packed or ends its lines.
std::string sha256_lines(std::span<const std::string> lines);

/// CRC-32 (as in gzip) of what was summed before and these bytes; begin with 0. Fast: for accidents, not for malice.
std::uint32_t crc32_of(std::uint32_t before, const void* data, std::size_t bytes);
/// Of the file's bytes as they lie on disk (a .gz is not unpacked).
std::string sha256_file(const std::filesystem::path& path);

}  // namespace mha
