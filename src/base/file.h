#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mha {

/// The lines of a text file one by one, plain or gzip (told by content, not by name). A line ends only at LF; one CR
/// before it is removed; a byte-order mark at the start of the file is removed; a last line without LF counts. Throws
/// UserError naming the file when it cannot be read or the gzip stream is cut or corrupt, Interrupted if a stop is
/// asked for while it waits for input.
class LineReader {
 public:
  explicit LineReader(std::filesystem::path path);
  /// Standard input from where it stands: a part of it may have been read already, and it may be a socket.
  static LineReader standard_input();
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  /// The next line, valid until the next call; false at the end of the file.
  bool next(std::string_view& line);

 private:
  LineReader(std::filesystem::path path, void* file);
  bool fill();
  std::filesystem::path path_;
  void* file_;  // gzFile
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what of buffer_ is not given out yet
  std::string pending_;              // a line that began in an earlier buffer
  bool at_start_ = true;
};

/// Calls `line` for every line, as LineReader gives them.
void for_each_line(const std::filesystem::path& path, const std::function<void(std::string_view)>& line);

/// All lines of a file, as for_each_line gives them.
std::vector<std::string> read_lines(const std::filesystem::path& path);
/// The same of `input` as commands take it: a file, or "-" for standard input.
std::vector<std::string> read_input_lines(const std::string& input);

/// UserError unless the path leads to a regular file: pipes and devices give their bytes only once.
void check_read_twice(const std::filesystem::path& path);

/// Calls `block` for the file's bytes as they lie on disk, in pieces of at most 1 MiB. Throws UserError when it cannot
/// be read, Interrupted if a stop is asked for while it waits for a pipe.
void for_each_block(const std::filesystem::path& path, const std::function<void(std::string_view)>& block);

/// The whole content of a file. Throws UserError when it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// A file that appears under its name only when it is complete: written beside it, synced, renamed. Every write is
/// checked; on failure the temporary file is removed, what stood under the name is untouched and UserError names the
/// file and the reason ("No space left on device"). A link stays: the file that it leads to is replaced. Devices, pipes
/// and open files (/dev/stdout) cannot be replaced and are written to as they are.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;
  std::filesystem::path path_, temporary_;  // no temporary_: written to as it is
  int descriptor_ = -1;
};

/// AtomicFile in one call.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Makes the folder and its parents; UserError when it cannot be made.
void make_directories(const std::filesystem::path& path);

/// An exclusive lock on a file, held while the object lives and dropped by the kernel when the process dies.
class FileLock {
 public:
  /// Throws UserError with `busy_message` if another process holds it.
  FileLock(const std::filesystem::path& path, const std::string& busy_message);
  struct Waiting {
    std::string message;
  };
  /// Waits until it is free, logging the message once if that takes time; throws Interrupted if a stop is asked for.
  FileLock(const std::filesystem::path& path, const Waiting& waiting);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// A whole file mapped read-only; pages are shared by the processes that map it.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  const char* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mha
