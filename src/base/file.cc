#include "base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include "base/error.h"

namespace mha {
namespace {

struct GzClose {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

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

void for_each_line(const std::filesystem::path& path, const std::function<void(std::string_view)>& line) {
  check_readable(path);
  errno = 0;
  std::unique_ptr<gzFile_s, GzClose> file(gzopen(path.c_str(), "rb"));
  if (!file) cannot_read(path, errno != 0 ? std::strerror(errno) : "out of memory");
  gzbuffer(file.get(), 1U << 18);
  std::string pending;
  std::vector<char> buffer(1U << 18);
  bool at_start = true;
  const auto emit = [&](std::string_view text) {
    if (at_start && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    at_start = false;
    if (text.ends_with('\r')) text.remove_suffix(1);
    line(text);
  };
  for (;;) {
    const int got = gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
    if (got < 0) {
      int code = 0;
      const char* message = gzerror(file.get(), &code);
      cannot_read(path, code == Z_ERRNO ? std::strerror(errno) : std::string("damaged gzip data (") + message + ")");
    }
    std::string_view rest(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t end; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
      if (pending.empty()) {
        emit(rest.substr(0, end));
      } else {
        pending.append(rest.substr(0, end));
        emit(pending);
        pending.clear();
      }
    }
    pending.append(rest);
    if (got == 0) break;
  }
  int code = 0;
  gzerror(file.get(), &code);
  if (code == Z_BUF_ERROR) cannot_read(path, "the gzip data ends too early (cut file?)");
  if (!pending.empty()) emit(pending);
}

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  for_each_line(path, [&](std::string_view text) { lines.emplace_back(text); });
  return lines;
}

std::string read_file(const std::filesystem::path& path) {
  check_readable(path);
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  if (!in.good() && !in.eof()) cannot_read(path, std::strerror(errno));
  return std::move(content).str();
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
  while (flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
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
