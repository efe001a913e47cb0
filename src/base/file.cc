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
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "base/stop.h"

namespace mha {
namespace {

[[noreturn]] void cannot_read(const std::filesystem::path& path, const std::string& why) {
  throw UserError("cannot read " + path.string() + ": " + why);
}

void check_readable(const std::filesystem::path& path) {
  std::error_code ec;
  const auto status = std::filesystem::status(path, ec);
  if (status.type() == std::filesystem::file_type::not_found) cannot_read(path, "no such file");
  if (!std::filesystem::status_known(status)) cannot_read(path, ec.message());
  if (std::filesystem::is_directory(status)) cannot_read(path, "it is a folder");
  if (access(path.c_str(), R_OK) != 0) cannot_read(path, std::strerror(errno));
}

gzFile open_for_lines(const std::filesystem::path& path) {
  check_readable(path);
  errno = 0;
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    const int reason = errno;
    throw_if_stopped();  // while it waited for a pipe to be opened for writing
    cannot_read(path, reason != 0 ? std::strerror(reason) : "out of memory");
  }
  return file;
}

constexpr const char* kStandardInput = "standard input";

gzFile open_standard_input() {
  const int copy = dup(STDIN_FILENO);
  if (copy < 0) cannot_read(kStandardInput, std::strerror(errno));
  const gzFile file = gzdopen(copy, "rb");
  if (file != nullptr) return file;
  close(copy);
  cannot_read(kStandardInput, "out of memory");
}

/// A descriptor that is closed with the object.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

/// Where a path leads, its folders not looked at. A path that leads nowhere yet comes back as far as it goes.
std::filesystem::path follow_links(std::filesystem::path path) {
  constexpr int most_links = 40;  // as the kernel
  std::error_code ec;
  for (int links = 0; std::filesystem::is_symlink(path, ec); ++links) {
    const auto next = std::filesystem::read_symlink(path, ec);
    if (links == most_links || ec) throw UserError("cannot write " + path.string() + ": the links lead nowhere");
    path = path.parent_path() / next;
  }
  return path;
}

/// Names of what this process has open, which lead to regular files at times.
bool names_open_file(const std::filesystem::path& path) {
  const std::string name = path.lexically_normal().string();
  return name.starts_with("/dev/std") || name.starts_with("/dev/fd/") || name.starts_with("/proc/");
}

}  // namespace

LineReader::LineReader(std::filesystem::path path, void* file)
    : path_(std::move(path)), file_(file), buffer_(1U << 18) {
  gzbuffer(static_cast<gzFile>(file_), 1U << 18);
}

LineReader::LineReader(std::filesystem::path path) : LineReader(path, open_for_lines(path)) {}

LineReader LineReader::standard_input() { return {kStandardInput, open_standard_input()}; }

LineReader::~LineReader() { gzclose(static_cast<gzFile>(file_)); }

bool LineReader::fill() {
  const auto file = static_cast<gzFile>(file_);
  const int got = gzread(file, buffer_.data(), static_cast<unsigned>(buffer_.size()));
  int code = 0;
  const char* message = gzerror(file, &code);
  if (got < 0) {
    throw_if_stopped();  // not tried again: zlib has lost what it read before the signal, and only stops interrupt it
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

std::vector<std::string> read_input_lines(const std::string& input) {
  if (input != "-") return read_lines(input);
  LineReader reader = LineReader::standard_input();
  std::vector<std::string> lines;
  for (std::string_view text; reader.next(text);) lines.emplace_back(text);
  return lines;
}

void check_read_twice(const std::filesystem::path& path) {
  check_readable(path);
  std::error_code ec;
  if (std::filesystem::is_regular_file(path, ec)) return;
  cannot_read(path, "it is a pipe or a device, and this is read more than once: save it to a file first");
}

void for_each_block(const std::filesystem::path& path, const std::function<void(std::string_view)>& block) {
  check_readable(path);
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto fail = [&](int reason) {
    if (reason == EINTR) throw_if_stopped();
    cannot_read(path, std::strerror(reason));
  };
  if (file.get() < 0) fail(errno);
  std::vector<char> buffer(1U << 20);
  for (;;) {
    const ssize_t got = read(file.get(), buffer.data(), buffer.size());
    if (got == 0) return;
    if (got < 0) fail(errno);
    block(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
  }
}

std::string read_file(const std::filesystem::path& path) {
  std::string content;
  for_each_block(path, [&](std::string_view block) { content.append(block); });
  return content;
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ec;
  const auto status = std::filesystem::status(path_, ec);
  if (std::filesystem::is_directory(status)) throw UserError("cannot write " + path_.string() + ": it is a folder");
  if (names_open_file(path_) || (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);  // to an open file: after what is in it
    if (descriptor_ < 0 && errno == EINTR) throw_if_stopped();           // while it waited for a pipe's reader
  } else {
    path_ = follow_links(std::move(path_));
    temporary_ = path_;
    temporary_ += ".tmp" + std::to_string(getpid());
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  }
  if (descriptor_ < 0) fail("create");
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* what) const {
  throw UserError("cannot " + std::string(what) + " " + path_.string() + ": " + std::strerror(errno));
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::write(descriptor_, at, bytes);
    if (done < 0) {
      if (errno == EINTR) {
        if (temporary_.empty()) throw_if_stopped();  // a pipe may take nothing for ever; a checkpoint is finished
        continue;
      }
      fail("write");
    }
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

void AtomicFile::commit() {
  if (!temporary_.empty() && fsync(descriptor_) != 0) fail("write");
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (temporary_.empty()) {
    if (close(descriptor) != 0) fail("write");
    return;
  }
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

std::string cannot_lock(const std::filesystem::path& path, int reason) {
  return "cannot lock " + path.string() + ": " + std::strerror(reason);
}
}  // namespace

FileLock::FileLock(const std::filesystem::path& path, const std::string& busy_message) : descriptor_(open_lock(path)) {
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int reason = errno;
  close(descriptor_);
  throw UserError(reason == EWOULDBLOCK ? busy_message : cannot_lock(path, reason));
}

FileLock::FileLock(const std::filesystem::path& path, const Waiting& waiting) : descriptor_(open_lock(path)) {
  try {
    for (bool said = false; flock(descriptor_, LOCK_EX | LOCK_NB) != 0; said = true) {
      if (errno != EWOULDBLOCK && errno != EINTR) throw UserError(cannot_lock(path, errno));
      throw_if_stopped();
      if (!said) log_info(waiting.message);
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
