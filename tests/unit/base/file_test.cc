#include "base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <thread>

#include "base/stop.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;
using testing::TemporaryFolder;

void write_gzip(const std::filesystem::path& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

TEST(ReadLines, OnlyLineFeedsEndLines) {
  const TemporaryFolder folder;
  const std::string text = "a\r\nb\rc\xE2\x80\xA8 d\vx\f\x1C\xC2\x85\n\n e \nlast";
  EXPECT_THAT(read_lines(folder.write("x", text)),
              ElementsAre("a", "b\rc\xE2\x80\xA8 d\vx\f\x1C\xC2\x85", "", " e ", "last"));
}

TEST(ReadLines, ByteOrderMarkGoesOnlyAtTheStart) {
  const TemporaryFolder folder;
  EXPECT_THAT(read_lines(folder.write("x",
                                      "\xEF\xBB\xBF"
                                      "a\n\xEF\xBB\xBF"
                                      "b\n")),
              ElementsAre("a",
                          "\xEF\xBB\xBF"
                          "b"));
}

TEST(ReadLines, EmptyFilesAndLoneLineFeeds) {
  const TemporaryFolder folder;
  EXPECT_THAT(read_lines(folder.write("none", "")), IsEmpty());
  EXPECT_THAT(read_lines(folder.write("one", "\n")), ElementsAre(""));
  EXPECT_THAT(read_lines(folder.write("cr", "\r\n\r")), ElementsAre("", ""));
}

TEST(ReadLines, GzipIsToldByContentAndLongLinesStayWhole) {
  const TemporaryFolder folder;
  const std::string line(700000, 'x');  // longer than two read buffers
  write_gzip(folder / "plain_name", line + "\nb");
  EXPECT_THAT(read_lines(folder / "plain_name"), ElementsAre(line, "b"));
  EXPECT_THAT(read_lines(folder.write("not_zipped.gz", "a\n")), ElementsAre("a"));
}

TEST(ReadLines, CutOrCorruptGzipIsAnErrorNamingTheFile) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + "\n";
  write_gzip(folder / "whole.gz", text);
  std::string bytes = read_file(folder / "whole.gz");
  folder.write("cut.gz", bytes.substr(0, bytes.size() / 2));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  folder.write("corrupt.gz", bytes);
  EXPECT_THAT(message_of([&] { read_lines(folder / "cut.gz"); }), HasSubstr("cut.gz"));
  EXPECT_THAT(message_of([&] { read_lines(folder / "corrupt.gz"); }), HasSubstr("corrupt.gz"));
}

TEST(ReadFile, ReasonsAreGiven) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_file(folder.write("x", std::string("a\0b", 3))), std::string("a\0b", 3));
  EXPECT_EQ(read_file(folder.write("empty", "")), "");
  EXPECT_THAT(message_of([&] { read_file(folder / "none"); }), AllOf(HasSubstr("none"), HasSubstr("no such file")));
  EXPECT_THAT(message_of([&] { read_file(folder.path()); }), HasSubstr("it is a folder"));
  EXPECT_THAT(message_of([&] { read_file(folder / std::string(300, 'x')); }), HasSubstr("File name too long"));
}

TEST(CheckReadTwice, TakesFilesAndRefusesPipesWithoutOpeningThem) {
  const TemporaryFolder folder;
  check_read_twice(folder.write("x", ""));
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(message_of([&] { check_read_twice(folder / "pipe"); }), HasSubstr("save it to a file first"));
  EXPECT_THAT(message_of([&] { check_read_twice(folder / "none"); }), HasSubstr("no such file"));
}

/// What a child says whose standard input is `descriptor`.
std::string lines_of_standard_input(int descriptor) {
  int out[2];
  if (pipe(out) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(descriptor, STDIN_FILENO);
    std::string said;
    said = message_of([&] {
      for (const std::string& line : read_input_lines("-")) said += line + ";";
      throw UserError(said);
    });
    _exit(write(out[1], said.data(), said.size()) < 0 ? 1 : 0);
  }
  close(out[1]);
  std::string said(100, '\0');
  const ssize_t got = read(out[0], said.data(), said.size());
  close(out[0]);
  waitpid(child, nullptr, 0);
  return said.substr(0, got > 0 ? static_cast<std::size_t>(got) : 0);
}

TEST(ReadInputLines, StandardInputIsReadFromWhereItStands) {
  const TemporaryFolder folder;
  const int file = open(folder.write("x", "first\nsecond\nthird\n").c_str(), O_RDONLY);
  ASSERT_EQ(lseek(file, 6, SEEK_SET), 6);
  EXPECT_EQ(lines_of_standard_input(file), "second;third;");
  close(file);
}

TEST(ReadInputLines, StandardInputMayBeASocket) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ASSERT_EQ(write(ends[0], "a\nb\n", 4), 4);
  shutdown(ends[0], SHUT_WR);
  EXPECT_EQ(lines_of_standard_input(ends[1]), "a;b;");
  close(ends[0]), close(ends[1]);
}

/// Whether a process waits for something: state S in /proc/PID/stat.
bool sleeps(pid_t process) {
  const std::string stat = read_file("/proc/" + std::to_string(process) + "/stat");
  return stat.find(") S ") != std::string::npos;
}

TEST(ReadLines, AStopEndsTheWaitForAPipe) {
  const TemporaryFolder folder;
  const auto path = folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  for (const bool opened : {false, true}) {
    const pid_t child = fork();
    if (child == 0) {
      install_stop_handlers();
      if (opened) static_cast<void>(open(path.c_str(), O_RDWR));  // else opening waits for a writer
      const std::string said = message_of<Interrupted>([&] { read_lines(path); });
      _exit(said.starts_with("interrupted by signal") ? 0 : 1);
    }
    int status = 0;
    for (int i = 0; i < 200 && !sleeps(child); ++i) usleep(10000);
    kill(child, SIGINT);
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << opened;
  }
}

TEST(AtomicFile, AppearsOnlyWithCommit) {
  const TemporaryFolder folder;
  const auto path = folder.write("x", "old");
  {
    AtomicFile file(path);
    file.write("new");
    EXPECT_EQ(read_file(path), "old");
  }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(files_in(folder), 1U) << "an abandoned temporary file is removed";
  AtomicFile file(path);
  file.write("ne");
  file.write("w");
  file.commit();
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(AtomicFile, FullDiskIsSaidWithTheReason) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TemporaryFolder folder;
  const auto path = folder.write("x", "old");
  // The temporary name is known: a link there sends the bytes to a device that is always full.
  const std::string temporary = path.string() + ".tmp" + std::to_string(getpid());
  std::filesystem::create_symlink("/dev/full", temporary);
  EXPECT_THAT(message_of([&] { write_file(path, "new"); }),
              AllOf(HasSubstr(path.string()), HasSubstr("No space left on device")));
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(AtomicFile, ALinkStaysAndItsFileIsReplaced) {
  const TemporaryFolder folder;
  folder.write("sub/file", "old");
  std::filesystem::create_symlink("sub/file", folder / "link");
  std::filesystem::create_symlink("sub/new", folder / "dangling");
  for (const char* name : {"link", "dangling"}) {
    write_file(folder / name, "new");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / name));
    EXPECT_EQ(read_file(folder / name), "new");
  }
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_THAT(message_of([&] { write_file(folder / "circle", ""); }), HasSubstr("links lead nowhere"));
}

// With a pipe of its own and never with a device: where this fails, the file is gone.
TEST(AtomicFile, WhatCannotBeReplacedIsWrittenToAsItIs) {
  const TemporaryFolder folder;
  const auto pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  write_file(pipe, "text");
  char got[10] = {};
  EXPECT_EQ(read(reader, got, sizeof got), 4);
  close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_THAT(message_of([&] { write_file(folder.path(), ""); }), HasSubstr("it is a folder"));
  // An open file keeps what was written to it before.
  const int file = open(folder.write("x", "one ").c_str(), O_WRONLY);
  write_file("/dev/fd/" + std::to_string(file), "two");
  close(file);
  EXPECT_EQ(read_file(folder / "x"), "one two");
}

TEST(AtomicFile, MissingFolderIsSaid) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of([&] { write_file(folder / "no" / "x", ""); }), HasSubstr("No such file or directory"));
}

TEST(MakeDirectories, MakesParentsAndTellsWhenItCannot) {
  const TemporaryFolder folder;
  make_directories(folder / "a/b/c");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
  make_directories(folder / "a/b/c");
  folder.write("file", "");
  EXPECT_THAT(message_of([&] { make_directories(folder / "file/b"); }), HasSubstr("file/b"));
}

TEST(FileLock, AnotherProcessIsRefusedUntilItIsFree) {
  const TemporaryFolder folder;
  const auto path = folder / "lock";
  const auto refused_elsewhere = [&] {
    const pid_t child = fork();
    if (child == 0) {
      const bool refused = message_of([&] { FileLock lock(path, "busy"); }) == "busy";
      _exit(refused ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status) == 1;
  };
  {
    const FileLock lock(path, "busy");
    EXPECT_TRUE(refused_elsewhere());
  }
  EXPECT_FALSE(refused_elsewhere());
}

TEST(FileLock, WhoeverWaitsSaysSoOnce) {
  const TemporaryFolder folder;
  const auto path = folder / "lock";
  auto held = std::make_unique<FileLock>(path, "busy");
  ::testing::internal::CaptureStderr();
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    held.reset();
  });
  { const FileLock waiting(path, FileLock::Waiting{"waiting for x"}); }
  release.join();
  { const FileLock free(path, FileLock::Waiting{"not said"}); }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_THAT(said, HasSubstr("waiting for x"));
}

TEST(MappedFile, ShowsTheBytes) {
  const TemporaryFolder folder;
  const MappedFile file(folder.write("x", "bytes"));
  EXPECT_EQ(std::string(file.data(), file.size()), "bytes");
  const MappedFile empty(folder.write("empty", ""));
  EXPECT_EQ(empty.size(), 0U);
  EXPECT_THAT(message_of([&] { MappedFile none(folder / "none"); }), HasSubstr("none"));
}

}  // namespace
}  // namespace mha
