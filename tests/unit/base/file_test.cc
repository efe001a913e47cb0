#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <zlib.h>

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
