#include "report/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <stdexcept>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"

// The public safetensors format: 8 bytes little-endian header length N; N bytes of JSON beginning with '{', padded with
// spaces; then the tensors' bytes, little-endian, without holes. The header maps names to {"dtype", "shape",
// "data_offsets": [begin, end)}, offsets counted from the end of the header; "__metadata__" maps strings to strings.

namespace mha {
namespace {

static_assert(std::endian::native == std::endian::little, "tensor bytes are written as they lie in memory");

constexpr const char* kMetadata = "__metadata__";
constexpr const char* kHash = "sha256";
constexpr std::size_t kLengthBytes = 8, kAlignment = 8;
constexpr std::uint64_t kMaxHeader = 100'000'000;  // the limit of the reference implementation

struct Dtype {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<Dtype, 15> kDtypes = {{{"F64", 8},
                                            {"I64", 8},
                                            {"U64", 8},
                                            {"F32", 4},
                                            {"I32", 4},
                                            {"U32", 4},
                                            {"F16", 2},
                                            {"BF16", 2},
                                            {"I16", 2},
                                            {"U16", 2},
                                            {"I8", 1},
                                            {"U8", 1},
                                            {"BOOL", 1},
                                            {"F8_E4M3", 1},
                                            {"F8_E5M2", 1}}};

/// 0 for an unknown name.
std::size_t dtype_bytes(std::string_view name) {
  const auto row = std::ranges::find(kDtypes, name, &Dtype::name);
  return row == kDtypes.end() ? 0 : row->bytes;
}

/// Bytes of a tensor, or -1 if the dtype is unknown, a dimension negative or the product too large.
std::int64_t tensor_bytes(std::string_view dtype, const std::vector<std::int64_t>& shape) {
  auto bytes = static_cast<std::int64_t>(dtype_bytes(dtype));
  if (bytes == 0) return -1;
  for (const std::int64_t n : shape) {
    if (n < 0 || __builtin_mul_overflow(bytes, n, &bytes)) return -1;
  }
  return bytes;
}

std::vector<TensorBytes> widest_first(std::span<const TensorBytes> tensors) {
  std::vector<TensorBytes> sorted(tensors.begin(), tensors.end());
  std::ranges::stable_sort(sorted, std::greater<>(), [](const TensorBytes& t) { return dtype_bytes(t.dtype); });
  return sorted;
}

void check_arguments(std::span<const TensorBytes> tensors, const std::map<std::string, std::string>& metadata) {
  if (metadata.contains(kHash)) throw std::invalid_argument("the metadata key sha256 is taken");
  std::set<std::string_view> names = {kMetadata};
  for (const auto& t : tensors) {
    if (!names.insert(t.name).second) throw std::invalid_argument("two tensors are named " + t.name);
    const std::int64_t expected = tensor_bytes(t.dtype, t.shape);
    if (expected < 0 || static_cast<std::size_t>(expected) != t.bytes) {
      throw std::invalid_argument("tensor " + t.name + ": " + std::to_string(t.bytes) + " bytes do not fit dtype " +
                                  t.dtype + " and shape");
    }
  }
}

json make_header(std::span<const TensorBytes> tensors, const std::map<std::string, std::string>& metadata) {
  json header = {{kMetadata, metadata}};
  std::size_t at = 0;
  for (const auto& t : tensors) {
    header[t.name] = {{"dtype", t.dtype}, {"shape", t.shape}, {"data_offsets", {at, at + t.bytes}}};
    at += t.bytes;
  }
  return header;
}

/// What the file's own hash covers; `header` is without the hash.
std::string content_hash(const json& header, std::span<const TensorBytes> tensors) {
  Sha256 hash;
  hash.update(dump_json(header, -1));
  for (const auto& t : tensors) hash.update(t.data, t.bytes);
  return hash.hex();
}

[[noreturn]] void damaged(const std::filesystem::path& path, const std::string& what) {
  throw UserError("cannot use " + path.string() + ": " + what +
                  "; the file is cut, damaged or not a safetensors file: use another checkpoint or a fresh copy");
}

/// The header's text; checks its length against the file's.
std::string_view header_text(const MappedFile& file, const std::filesystem::path& path) {
  const std::string has = "the file has " + std::to_string(file.size()) + " bytes";
  if (file.size() < kLengthBytes) damaged(path, has + ", too few for any header");
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  const std::string says = "its header is said to have " + std::to_string(length) + " bytes";
  if (length > kMaxHeader) damaged(path, says + ", more than any has");
  if (length > file.size() - kLengthBytes) damaged(path, says + " but " + has);
  const std::string_view text(file.data() + kLengthBytes, length);
  if (!text.starts_with('{')) damaged(path, "its header does not begin with {");
  return text;
}

json parse_header(std::string_view text, const std::filesystem::path& path) {
  try {
    return parse_json(text, "header");
  } catch (const UserError& error) {
    damaged(path, error.what());
  }
}

bool is_offset(const json& value) { return value.is_number_unsigned(); }

/// One entry of the header, with its place in the data.
TensorBytes parse_entry(const std::string& name, const json& entry, std::string_view data,
                        const std::filesystem::path& path) {
  const auto fail = [&](const std::string& what) { damaged(path, "tensor " + name + " " + what); };
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") || !entry.contains("data_offsets")) {
    fail("lacks dtype, shape or data_offsets");
  }
  const json &dtype = entry["dtype"], &shape = entry["shape"], &offsets = entry["data_offsets"];
  if (!dtype.is_string() || dtype_bytes(dtype.get<std::string>()) == 0)
    fail("has the unknown dtype " + dump_json(dtype));
  if (!shape.is_array() || !std::ranges::all_of(shape, is_offset)) fail("has the shape " + dump_json(shape, -1));
  if (!offsets.is_array() || offsets.size() != 2 || !std::ranges::all_of(offsets, is_offset)) {
    fail("has the data_offsets " + dump_json(offsets, -1));
  }
  TensorBytes out{.name = name, .dtype = dtype.get<std::string>(), .shape = shape.get<std::vector<std::int64_t>>()};
  const auto begin = offsets[0].get<std::uint64_t>(), end = offsets[1].get<std::uint64_t>();
  const std::string range = "bytes " + std::to_string(begin) + " to " + std::to_string(end);
  if (begin > end) fail("has the impossible range of " + range);
  if (end > data.size()) fail("takes " + range + " but the data has only " + std::to_string(data.size()));
  const std::int64_t expected = tensor_bytes(out.dtype, out.shape);
  if (expected < 0 || static_cast<std::uint64_t>(expected) != end - begin) {
    fail("takes " + range + ", which dtype " + out.dtype + " and shape " + dump_json(shape, -1) + " do not need");
  }
  out.data = data.data() + begin;
  out.bytes = end - begin;
  return out;
}

/// Neither holes nor overlaps nor bytes behind the last tensor.
void check_contiguous(const std::vector<TensorBytes>& tensors, std::string_view data,
                      const std::filesystem::path& path) {
  const char* at = data.data();
  for (const auto& t : tensors) {
    if (t.data != at) damaged(path, "tensor " + t.name + " overlaps another or leaves a gap before it");
    at += t.bytes;
  }
  if (at != data.data() + data.size()) damaged(path, "bytes follow the last tensor");
}

/// A string map; takes it out of the header.
std::map<std::string, std::string> take_metadata(json& header, const std::filesystem::path& path) {
  std::map<std::string, std::string> metadata;
  if (!header.contains(kMetadata)) return metadata;
  if (!header[kMetadata].is_object()) damaged(path, "its metadata is not an object");
  for (const auto& [key, value] : header[kMetadata].items()) {
    if (!value.is_string()) damaged(path, "its metadata entry " + key + " is not a string");
    metadata[key] = value.get<std::string>();
  }
  header.erase(kMetadata);
  return metadata;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::span<const TensorBytes> tensors,
                       const std::map<std::string, std::string>& metadata) {
  check_arguments(tensors, metadata);
  const std::vector<TensorBytes> sorted = widest_first(tensors);
  json header = make_header(sorted, metadata);
  header[kMetadata][kHash] = content_hash(header, sorted);
  std::string text = dump_json(header, -1);
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  const std::uint64_t length = text.size();
  AtomicFile file(path);
  file.write(&length, sizeof length);
  file.write(text);
  for (const auto& t : sorted) file.write(t.data, t.bytes);
  file.commit();
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path, bool check_hash)
    : path_(path), file_(std::make_unique<MappedFile>(path)) {
  const std::string_view text = header_text(*file_, path);
  const std::string_view data(text.data() + text.size(), file_->size() - kLengthBytes - text.size());
  const json header = parse_header(text, path);
  json entries = header;
  metadata_ = take_metadata(entries, path);
  for (const auto& [name, entry] : entries.items()) tensors_.push_back(parse_entry(name, entry, data, path));
  std::ranges::stable_sort(tensors_, {}, [](const TensorBytes& t) { return std::pair(t.data, t.bytes); });
  check_contiguous(tensors_, data, path);
  const auto stored = metadata_.find(kHash);
  if (!check_hash || stored == metadata_.end()) return;
  json hashed = header;
  hashed[kMetadata].erase(kHash);
  if (content_hash(hashed, tensors_) != stored->second) damaged(path, "its SHA-256 is not the one written into it");
}

const TensorBytes& SafetensorsFile::tensor(const std::string& name) const {
  const auto found = std::ranges::find(tensors_, name, &TensorBytes::name);
  if (found != tensors_.end()) return *found;
  throw UserError(path_.string() + " has no tensor " + name + ": it was made by another program or for another model");
}

}  // namespace mha
