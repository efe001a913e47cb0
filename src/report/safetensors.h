#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"

namespace mha {

/// One tensor of a safetensors file: dtype "F32", "BF16", "F64", "I64", "U8", …; row-major bytes.
struct TensorBytes {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// Writes a safetensors file atomically (base/file.h AtomicFile), readable by the Python package of that name. Wider
/// dtypes come first so that every tensor is aligned; else the order is kept. `metadata` goes into __metadata__ with
/// "sha256" added: SHA-256 of the header without that entry and of all tensor bytes. Throws UserError naming the file
/// when it cannot be written; std::invalid_argument for tensors that contradict themselves.
void write_safetensors(const std::filesystem::path& path, std::span<const TensorBytes> tensors,
                       const std::map<std::string, std::string>& metadata);

/// A safetensors file mapped read-only. The constructor checks structure, sizes and, unless told not to, the hash (of
/// files that carry one; those of other programs do not). UserError names the file, what is wrong (cut, damaged, not
/// safetensors) and the remedy.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path, bool check_hash = true);
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// In file order; `data` points into the mapping.
  const std::vector<TensorBytes>& tensors() const { return tensors_; }
  /// Throws UserError naming file and tensor if it is not there.
  const TensorBytes& tensor(const std::string& name) const;

 private:
  std::filesystem::path path_;
  std::unique_ptr<MappedFile> file_;
  std::map<std::string, std::string> metadata_;
  std::vector<TensorBytes> tensors_;
};

}  // namespace mha
