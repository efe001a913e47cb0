#include "base/hash.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <array>

#include "base/file.h"

namespace mha {

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_), EVP_sha256(), nullptr);
}
Sha256::~Sha256() { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context_)); }

Sha256& Sha256::update(const void* data, std::size_t bytes) {
  EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_), data, bytes);
  return *this;
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_), digest.data(), &size);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += digits[digest[i] >> 4U];
    text += digits[digest[i] & 15U];
  }
  return text;
}

std::string sha256_hex(std::string_view text) { return Sha256().update(text).hex(); }

std::string sha256_lines(std::span<const std::string> lines) {
  Sha256 hash;
  for (const std::string& line : lines) hash.update(line).update("\n");
  return hash.hex();
}

std::uint32_t crc32_of(std::uint32_t before, const void* data, std::size_t bytes) {
  return static_cast<std::uint32_t>(crc32_z(before, static_cast<const Bytef*>(data), bytes));
}

std::string sha256_file(const std::filesystem::path& path) {
  // Read in pieces: a mapped file would count as resident memory of this process.
  Sha256 hash;
  for_each_block(path, [&](std::string_view block) { hash.update(block); });
  return hash.hex();
}

}  // namespace mha
