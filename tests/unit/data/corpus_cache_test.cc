#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <thread>

#include "base/hash.h"
#include "base/stop.h"
#include "data/corpus.h"
#include "data/corpus_file.h"
#include "data/corpus_layout.h"
#include "unit/data/data_testing.h"

namespace mha {
namespace {

using testing::TemporaryFolder;

CorpusPtr open_lf(const std::filesystem::path& cache, const EncodeOptions& options = {}) {
  return open_corpus(testing::case_split("lf"), "data.train", testing::case_words(), options, cache);
}

/// Enough pairs for encoding to take a while.
SplitConfig large_split(const TemporaryFolder& folder) {
  std::string text;
  for (int i = 0; i < 400000; ++i) text += "a red bird sings to town two cats sleep here\n";
  SplitConfig split;
  split.source = split.target = {folder.write("large", text)};
  return split;
}

/// Runs `work` in a child process, which ends with the value it returns.
pid_t in_child(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  return child;
}

bool wait_until_writing(const TemporaryFolder& cache) {
  for (int i = 0; i < 2000; ++i) {
    for (const std::string& name : cache.names("corpus-")) {
      if (name.find(".tmp") != std::string::npos) return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(CorpusCache, TheSecondOpeningReadsTheFirst) {
  const TemporaryFolder cache;
  const CorpusPtr first = open_lf(cache.path());
  const auto names = cache.names("corpus-");
  ASSERT_EQ(names.size(), 1U);
  const auto written = std::filesystem::last_write_time(cache.path() / names[0]);
  const CorpusPtr second = open_lf(cache.path());
  EXPECT_EQ(std::filesystem::last_write_time(cache.path() / names[0]), written);
  EXPECT_EQ(second->counts(), first->counts());
  EXPECT_EQ(second->hash(), first->hash());
  EXPECT_TRUE(std::ranges::equal(second->target(4), first->target(4)));
  EXPECT_THROW(second->source(5), std::out_of_range);
  EXPECT_THROW(second->source(-1), std::out_of_range);
}

TEST(CorpusCache, LinesThatWereCutAreToldOfEveryTime) {
  const TemporaryFolder cache;
  for (int opening = 1; opening <= 2; ++opening) {
    ::testing::internal::CaptureStderr();
    open_lf(cache.path(), {.training = false, .max_source_length = 4});
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                ::testing::AllOf(::testing::HasSubstr("warning data.train: 5 pairs read, 5 used"),
                                 ::testing::HasSubstr("cut to the longest length")))
        << opening;
  }
  open_lf(cache.path());
  ::testing::internal::CaptureStderr();
  open_lf(cache.path());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(CorpusCache, PipesAreRefusedUnopened) {
  const TemporaryFolder folder;
  SplitConfig split = testing::case_split("lf");
  split.target = {folder.path() / "pipe"};
  ASSERT_EQ(mkfifo(split.target[0].c_str(), 0600), 0);
  EXPECT_USER_ERROR(open_corpus(split, "test", testing::case_words(), {}, folder.path()), "pipe", "save it to a file");
  DataConfig data;
  data.train = split;
  EXPECT_USER_ERROR(make_vocabularies({}, data, folder.path()), "pipe", "save it to a file");
}

TEST(CorpusCache, WhatShapesTheCorpusIsInTheKey) {
  const TemporaryFolder cache;
  std::vector<std::string> hashes = {open_lf(cache.path())->hash()};
  for (const EncodeOptions& options :
       {EncodeOptions{.training = false}, EncodeOptions{.lowercase = true}, EncodeOptions{.max_source_length = 99},
        EncodeOptions{.max_target_length = 99}, EncodeOptions{.long_pairs = LongPairs::truncate}}) {
    hashes.push_back(open_lf(cache.path(), options)->hash());
  }
  const auto vocabulary = vocabulary_from_bytes("a\nred\n", "two words");
  const auto other_words =
      open_corpus(testing::case_split("lf"), "data.train", {vocabulary, vocabulary}, {}, cache.path());
  hashes.push_back(other_words->hash());
  hashes.push_back(
      open_corpus(testing::case_split("crlf"), "data.train", testing::case_words(), {}, cache.path())->hash());
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

TEST(CorpusCache, ADamagedFileIsMadeAnew) {
  const TemporaryFolder cache;
  const std::string hash = open_lf(cache.path())->hash();
  const auto path = cache.path() / cache.names("corpus-").at(0);
  const std::string whole = read_file(path);
  std::string other_counts = whole;
  other_counts[whole.find("\"used\":5") + 7] = '6';
  std::string wrong_size = whole;
  wrong_size.insert(100, "12345678");
  const auto flipped = [&](std::size_t at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    return damaged;
  };
  // A token's and an offset's lowest bit.
  const std::size_t description = whole.find("{\"pairs\"");
  ASSERT_NE(description, std::string::npos);
  for (const std::string& damaged :
       {flipped(12), flipped(description - 16), std::string(), whole.substr(0, 40), whole.substr(0, whole.size() - 1),
        whole + "x", std::string(whole.size(), '\0'), other_counts, wrong_size}) {
    write_file(path, damaged);
    EXPECT_THROW(map_corpus(path), UserError);
    EXPECT_EQ(open_lf(cache.path())->hash(), hash);
    EXPECT_EQ(read_file(path), whole);
  }
}

TEST(CorpusCache, ADescriptionThatLacksKeysIsDamage) {
  const TemporaryFolder cache;
  const std::string hash = open_lf(cache.path())->hash();
  const auto path = cache.path() / cache.names("corpus-").at(0);
  const std::string whole = read_file(path);
  for (const std::string description : {"{}", "[]", R"({"pairs": "5", "tokens": 1, "hash": "", "counts": {}})"}) {
    const std::uint64_t length = description.size();
    const std::string_view number(reinterpret_cast<const char*>(&length), sizeof(length));
    write_file(path, whole.substr(0, whole.find("{\"pairs\"")) + description + std::string(number) +
                         sha256_hex(description) + std::string(kCorpusMark));
    EXPECT_USER_ERROR(map_corpus(path), "is damaged", "lacks what this version writes");
    EXPECT_EQ(open_lf(cache.path())->hash(), hash);
  }
}

TEST(CorpusCache, LongPairsCanBeAnError) {
  const TemporaryFolder cache;
  EXPECT_USER_ERROR(open_lf(cache.path(), {.max_target_length = 5, .long_pairs = LongPairs::error}), "lf.src, line 3",
                    "data.max_target_length 5");
}

TEST(CorpusCache, TrainingNeedsTargets) {
  const TemporaryFolder cache;
  SplitConfig split = testing::case_split("lf");
  split.target.clear();
  EXPECT_USER_ERROR(open_corpus(split, "data.train", testing::case_words(), {}, cache.path()),
                    "data.train needs `target`");
}

TEST(CorpusCache, TwoProcessesMakeItOnce) {
  const TemporaryFolder folder, cache;
  const SplitConfig split = large_split(folder);
  const auto work = [&] {
    return open_corpus(split, "data.train", testing::case_words(), {}, cache.path())->size() == 400000 ? 0 : 1;
  };
  const pid_t children[] = {in_child(work), in_child(work)};
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(cache.names("corpus-").size(), 1U);  // and no temporary file
}

TEST(CorpusCache, AKilledMakerLeavesNothingThatCounts) {
  const TemporaryFolder folder, cache;
  const SplitConfig split = large_split(folder);
  const auto open = [&] { return open_corpus(split, "data.train", testing::case_words(), {}, cache.path()); };
  const pid_t child = in_child([&] { return static_cast<int>(open()->size()); });
  ASSERT_TRUE(wait_until_writing(cache));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(cache.names("corpus-").size(), 1U);  // the temporary file
  EXPECT_EQ(open()->size(), 400000);
  EXPECT_EQ(cache.names("corpus-").size(), 1U);  // the corpus
}

TEST(CorpusCache, AStopEndsTheMaking) {
  const TemporaryFolder folder, cache;
  const SplitConfig split = large_split(folder);
  std::thread asker([&] {
    wait_until_writing(cache);
    request_stop(SIGTERM);
  });
  EXPECT_THROW(open_corpus(split, "data.train", testing::case_words(), {}, cache.path()), Interrupted);
  asker.join();
  request_stop(0);
  EXPECT_TRUE(cache.names("corpus-").empty());
}

}  // namespace
}  // namespace mha
