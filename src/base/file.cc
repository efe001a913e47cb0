#include "base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "base/stop.h"

namespace mha {
namespace {

[[noreturn]] void cannot_read(const std::filesystem::path& path, const std::string& why) {
  throw UserError("cannot read " + path.string() + ": " + why);
}

void check_readable(const std::filesystem::path& path) {
  std::error_code ec;
  const auto status = std::filesystem::status(path, ec);
  if (!std::filesystem::exists(status)) cannot_read(path, "no such file");
  if (std::filesystem::is_directory(status)) cannot_read(path, "it is a folder");
  if (access(path.c_str(), R_OK) != 0) cannot_read(path, std::strerror(errno));
}

}  // namespace

LineReader::LineReader(std::filesystem::path path) : path_(std::move(path)), buffer_(1U << 18) {
  check_readable(path_);
  errno = 0;
  file_ = gzopen(path_.c_str(), "rb");
  if (file_ == nullptr) cannot_read(path_, errno != 0 ? std::strerror(errno) : "out of memory");
  gzbuffer(static_cast<gzFile>(file_), 1U << 18);
}

LineReader::~LineReader() { gzclose(static_cast<gzFile>(file_)); }

bool LineReader::fill() {
  const auto file = static_cast<gzFile>(file_);
  const int got = gzread(file, buffer_.data(), static_cast<unsigned>(buffer_.size()));
  int code = 0;
  const char* message = gzerror(file, &code);
  if (got < 0) {
    cannot_read(path_, code == Z_ERRNO ? std::strerror(errno) : std::string("damaged gzip data (") + message + ")");
  }
  if (got == 0 && code == Z_BUF_ERROR) cannot_read(path_, "the gzip data ends too early (cut file?)");
  begin_ = 0;
  end_ = static_cast<std::size_t>(got);
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  pending_.clear();
  for (;;) {
    if (begin_ == end_ && !fill()) {
      if (pending_.empty()) return false;
      line = pending_;
      break;
    }
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    const std::size_t length = rest.find('\n');
    if (length == std::string_view::npos) {
      pending_.append(rest);
      begin_ = end_;
      continue;
    }
    begin_ += length + 1;
    line = rest.substr(0, length);
    if (!pending_.empty()) line = pending_.append(line);
    break;
  }
  if (at_start_ && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  at_start_ = false;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

void for_each_line(const std::filesystem::path& path, const std::function<void(std::string_view)>& line) {
  LineReader reader(path);
  for (std::string_view text; reader.next(text);) line(text);
}

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  for_each_line(path, [&](std::string_view text) { lines.emplace_back(text); });
  return lines;
}

void for_each_block(const std::filesystem::path& path, const std::function<void(std::string_view)>& block) {
  check_readable(path);
  std::ifstream in(path, std::ios::binary);
  std::vector<char> buffer(1U << 20);
  do {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    if (in.bad() || (in.fail() && !in.eof())) cannot_read(path, std::strerror(errno));
    block(std::string_view(buffer.data(), static_cast<std::size_t>(in.gcount())));
  } while (in.good());
}

std::string read_file(const std::filesystem::path& path) {
  std::string content;
  for_each_block(path, [&](std::string_view block) { content.append(block); });
  return content;
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  temporary_ = path_;
  temporary_ += ".tmp" + std::to_string(getpid());
  descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail("create");
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* what) const {
  throw UserError("cannot " + std::string(what) + " " + path_.string() + ": " + std::strerror(errno));
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::write(descriptor_, at, bytes);
    if (done < 0) {
      if (errno == EINTR) continue;
      fail("write");
    }
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

void AtomicFile::commit() {
  if (fsync(descriptor_) != 0) fail("write");
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (close(descriptor) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    unlink(temporary_.c_str());
    errno = reason;
    fail("write");
  }
  // The new name itself must survive a power cut: sync the folder. Some file systems refuse that; the data is safe.
  const auto parent = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
  if (const int folder = open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); folder >= 0) {
    fsync(folder);
    close(folder);
  }
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

void make_directories(const std::filesystem::path& path) {
  std::error_code ec;
  std::filesystem::create_directories(path, ec);
  if (ec) throw UserError("cannot make the folder " + path.string() + ": " + ec.message());
}

namespace {
int open_lock(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) throw UserError("cannot open the lock file " + path.string() + ": " + std::strerror(errno));
  return descriptor;
}
}  // namespace

FileLock::FileLock(const std::filesystem::path& path, const std::string& busy_message) : descriptor_(open_lock(path)) {
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  close(descriptor_);
  throw UserError(busy_message);
}

FileLock::FileLock(const std::filesystem::path& path) : descriptor_(open_lock(path)) {
  try {
    while (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) {
        throw UserError("cannot lock " + path.string() + ": " + std::strerror(errno));
      }
      throw_if_stopped();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

FileLock::~FileLock() { close(descriptor_); }

MappedFile::MappedFile(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) cannot_read(path, std::strerror(errno));
  struct stat info {};
  if (fstat(descriptor, &info) == 0) size_ = static_cast<std::size_t>(info.st_size);
  void* mapped = size_ == 0 ? nullptr : mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
  const int reason = errno;
  close(descriptor);
  if (mapped == MAP_FAILED) cannot_read(path, std::strerror(reason));
  data_ = static_cast<const char*>(mapped);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

}  // namespace mha
