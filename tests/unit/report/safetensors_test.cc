#include "report/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "base/error.h"
#include "base/json.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"
#include "unit/report/file_size_limit.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

const std::vector<float> kWeights = {1, 2, 3, 4, 5, 6};
const std::vector<std::int64_t> kCounts = {7, 8};
const std::vector<std::uint8_t> kBytes = {9};

std::vector<TensorBytes> tensors() {
  return {{"bytes", "U8", {1}, kBytes.data(), 1},
          {"weights", "F32", {2, 3}, kWeights.data(), 24},
          {"counts", "I64", {2}, kCounts.data(), 16}};
}

/// A file of any header text and data.
std::string raw_file(const std::string& header, const std::string& data, std::int64_t header_bytes = -1) {
  const std::uint64_t length = header_bytes < 0 ? header.size() : static_cast<std::uint64_t>(header_bytes);
  std::string out(sizeof length, '\0');
  std::memcpy(out.data(), &length, sizeof length);
  return out + header + data;
}

class SafetensorsTest : public ::testing::Test {
 protected:
  std::string refusal(const std::string& content) {
    write_file(file_, content);
    return message_of([&] { SafetensorsFile{file_}; });
  }
  void expect_refused(const std::string& content, const std::string& why) {
    EXPECT_THAT(refusal(content),
                AllOf(HasSubstr(file_.string()), HasSubstr(why), HasSubstr("use another checkpoint")));
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "x.safetensors";
};

TEST_F(SafetensorsTest, GivesBackWhatWasWritten) {
  write_safetensors(file_, tensors(), {{"config", "{\"a\": \"ü\"}"}});
  const SafetensorsFile read(file_);
  EXPECT_EQ(read.metadata().at("config"), "{\"a\": \"ü\"}");
  ASSERT_EQ(read.tensors().size(), 3U);
  for (const auto& expected : tensors()) {
    const TensorBytes& got = read.tensor(expected.name);
    EXPECT_EQ(got.dtype, expected.dtype);
    EXPECT_EQ(got.shape, expected.shape);
    ASSERT_EQ(got.bytes, expected.bytes);
    EXPECT_EQ(std::memcmp(got.data, expected.data, got.bytes), 0);
  }
}

TEST_F(SafetensorsTest, AlignsEveryTensor) {
  write_safetensors(file_, tensors(), {});
  const SafetensorsFile read(file_);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(read.tensor("counts").data) % 8, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(read.tensor("weights").data) % 4, 0U);
}

TEST_F(SafetensorsTest, TheSameContentGivesTheSameBytes) {
  write_safetensors(file_, tensors(), {{"a", "1"}});
  const std::string first = read_file(file_);
  write_safetensors(file_, tensors(), {{"a", "1"}});
  EXPECT_EQ(read_file(file_), first);
}

TEST_F(SafetensorsTest, MissingTensorIsNamed) {
  write_safetensors(file_, tensors(), {});
  const SafetensorsFile read(file_);
  EXPECT_THAT(message_of([&] { read.tensor("bias"); }), AllOf(HasSubstr(file_.string()), HasSubstr("bias")));
}

TEST_F(SafetensorsTest, EveryCutIsSeen) {
  write_safetensors(file_, tensors(), {});
  const std::string whole = read_file(file_);
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_THAT(refusal(whole.substr(0, bytes)), HasSubstr("cannot use " + file_.string())) << bytes;
  }
  expect_refused(whole + "x", "bytes follow the last tensor");
}

TEST_F(SafetensorsTest, EveryChangedByteIsSeen) {
  write_safetensors(file_, tensors(), {{"key", "value"}});
  const std::string whole = read_file(file_);
  const std::size_t padding = whole.find("}}", whole.find("counts")) + 2;
  const std::size_t hash_key = whole.find("sha256");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    if (whole[at] == ' ' && at >= padding) continue;    // padding: white space for white space changes nothing
    if (at >= hash_key && at < hash_key + 6) continue;  // then it looks like the file of a program without hashes
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x04);
    EXPECT_THAT(refusal(changed), HasSubstr("cannot use " + file_.string())) << "byte " << at;
  }
}

TEST_F(SafetensorsTest, WithoutTheHashOnlyTheStructureIsChecked) {
  write_safetensors(file_, tensors(), {});
  std::string content = read_file(file_);
  content.back() = static_cast<char>(content.back() ^ 1);
  expect_refused(content, "SHA-256");
  EXPECT_NO_THROW(SafetensorsFile(file_, false));
}

TEST_F(SafetensorsTest, FilesOfOtherProgramsHaveNoHash) {
  write_file(file_, raw_file(R"({"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}}   )", "ab"));
  EXPECT_EQ(SafetensorsFile(file_).tensor("a").bytes, 2U);
}

TEST_F(SafetensorsTest, HeaderLengthIsChecked) {
  expect_refused("", "the file has 0 bytes");
  expect_refused(raw_file("{}", "", 1 << 20), "said to have 1048576 bytes but the file has 10");
  expect_refused(raw_file("{}", "", std::int64_t{1} << 60), "more than any has");
  expect_refused(raw_file("[]", ""), "does not begin with {");
  expect_refused(raw_file("{\"a\":", ""), "not valid JSON");
  expect_refused(raw_file("{} {}", ""), "not valid JSON");
}

TEST_F(SafetensorsTest, EntriesAreChecked) {
  const auto one = [](const std::string& entry) { return raw_file("{\"a\":" + entry + "}", "12345678"); };
  expect_refused(one("3"), "lacks dtype");
  expect_refused(one(R"({"dtype":"F32","shape":[2]})"), "lacks dtype, shape or data_offsets");
  expect_refused(one(R"({"dtype":"F99","shape":[2],"data_offsets":[0,8]})"), "unknown dtype \"F99\"");
  expect_refused(one(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})"), "shape [-2]");
  expect_refused(one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8.0]})"), "data_offsets [0,8.0]");
  expect_refused(one(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"), "impossible range");
  expect_refused(one(R"({"dtype":"F32","shape":[4],"data_offsets":[0,16]})"), "has only 8");
  expect_refused(one(R"({"dtype":"F64","shape":[2],"data_offsets":[0,8]})"), "do not need");
  expect_refused(one(R"({"dtype":"U8","shape":[4294967296,4294967296,4],"data_offsets":[0,0]})"), "do not need");
  expect_refused(one(R"({"dtype":"U8","shape":[4],"data_offsets":[4,8]})"), "leaves a gap");
  expect_refused(raw_file(R"({"__metadata__":{"n":1}})", ""), "is not a string");
  expect_refused(raw_file(R"({"__metadata__":[]})", ""), "metadata is not an object");
}

TEST_F(SafetensorsTest, OverlapAndRepetitionAreRefused) {
  const std::string entry = R"({"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
  expect_refused(raw_file("{\"a\":" + entry + ",\"b\":" + entry + "}", "1234"), "overlaps");
  expect_refused(raw_file("{\"a\":" + entry + ",\"a\":" + entry + "}", "1234"), "stands twice");
}

TEST_F(SafetensorsTest, ContradictoryTensorsAreTheCallersFault) {
  const auto write = [&](TensorBytes t) { write_safetensors(file_, std::vector{t, t}, {}); };
  EXPECT_THAT(message_of<std::invalid_argument>([&] {
                write({"a", "F32", {2}, kWeights.data(), 4});
              }),
              HasSubstr("a: 4 bytes"));
  EXPECT_THAT(message_of<std::invalid_argument>([&] {
                write({"a", "F32", {1}, kWeights.data(), 4});
              }),
              HasSubstr("two tensors"));
  EXPECT_THROW(write_safetensors(file_, {}, {{"sha256", "x"}}), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(SafetensorsTest, AFailedWriteLeavesThePreviousFile) {
  write_safetensors(file_, tensors(), {{"step", "1"}});
  const std::vector<char> large(100'000, 'x');
  const std::vector<TensorBytes> too_large = {{"a", "U8", {100'000}, large.data(), large.size()}};
  std::string message;
  {
    const FileSizeLimit limit(10'000);
    message = message_of([&] { write_safetensors(file_, too_large, {{"step", "2"}}); });
  }
  EXPECT_THAT(message, AllOf(HasSubstr("cannot write " + file_.string()), HasSubstr("File too large")));
  EXPECT_EQ(SafetensorsFile(file_).metadata().at("step"), "1");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

}  // namespace
}  // namespace mha
