#include <algorithm>
#include <map>

#include "data/batch.h"
#include "unit/data/data_testing.h"

namespace mha {
namespace {

/// What training has to make of the corpora of tests/cases/corpora (words as vocabulary, at most 250 of them).
struct Expected {
  std::string name;
  std::int64_t used = 5;
  std::map<std::string, std::int64_t> dropped = {};
  bool equals_lf = false;  // the same text as lf.* in another dress
};

const std::vector<Expected> kCorpora = {
    {.name = "lf", .equals_lf = true},
    {.name = "bom", .equals_lf = true},
    {.name = "crlf", .equals_lf = true},
    {.name = "lone_cr", .equals_lf = true},
    {.name = "mixed_eol", .equals_lf = true},
    {.name = "nbsp", .equals_lf = true},
    {.name = "no_final_newline", .equals_lf = true},
    {.name = "unicode_seps", .equals_lf = true},
    {.name = "literal_specials"},
    {.name = "normalised"},
    {.name = "one_pair", .used = 1},
    {.name = "bad_utf8", .used = 4, .dropped = {{"invalid_utf8", 1}}},
    {.name = "nul", .used = 4, .dropped = {{"invalid_utf8", 1}}},
    {.name = "blank_spaces", .used = 3, .dropped = {{"blank", 2}}},
    {.name = "empty_both", .used = 4, .dropped = {{"empty_both", 1}}},
    {.name = "empty_src_only", .used = 4, .dropped = {{"empty_source", 1}}},
    {.name = "empty_trg_only", .used = 4, .dropped = {{"empty_target", 1}}},
    {.name = "long_line", .used = 4, .dropped = {{"too_long", 1}}},
};

/// Corpora that are an error, with what the message must hold.
const std::map<std::string, std::vector<const char*>> kErrors = {
    {"all_empty", {"no usable pair", "5 pairs read", "5 empty_both"}},
    {"all_too_long", {"no usable pair", "5 pairs read", "5 too_long"}},
    {"zero_bytes", {"no usable pair", "0 pairs read"}},
    {"unequal", {"unequal.src has 5 lines", "unequal.trg has 4;"}},
    {"extra_blank", {"extra_blank.src has 5 lines", "extra_blank.trg has 6;"}},
};

CorpusPtr open_case(const std::string& name, const EncodeOptions& options, const std::filesystem::path& cache) {
  return open_corpus(testing::case_split(name), "data.train", testing::case_words(), options, cache);
}

std::vector<std::vector<TokenId>> sequences(const EncodedCorpus& corpus) {
  std::vector<std::vector<TokenId>> all;
  for (std::int64_t i = 0; i < corpus.size(); ++i) {
    for (const auto ids : {corpus.source(i), corpus.target(i)}) all.emplace_back(ids.begin(), ids.end());
  }
  return all;
}

TEST(CorporaCases, TrainingCountsEveryDroppedPair) {
  const testing::TemporaryFolder cache;
  const auto lf = sequences(*open_case("lf", {}, cache.path()));
  for (const Expected& expected : kCorpora) {
    SCOPED_TRACE(expected.name);
    const CorpusPtr corpus = open_case(expected.name, {}, cache.path());
    EXPECT_EQ(corpus->size(), expected.used);
    EXPECT_EQ(corpus->counts().used, expected.used);
    EXPECT_EQ(corpus->counts().dropped, expected.dropped);
    if (expected.equals_lf) {
      EXPECT_EQ(sequences(*corpus), lf);
      EXPECT_EQ(corpus->counts().source_unknown, 0);
    }
  }
}

TEST(CorporaCases, WhatCannotBeTrainedOnIsAnErrorWithNumbers) {
  const testing::TemporaryFolder cache;
  for (const auto& [name, needed] : kErrors) {
    SCOPED_TRACE(name);
    const EncodeOptions options{.max_source_length = 20, .max_target_length = 20};
    for (const char* text : needed) EXPECT_USER_ERROR(open_case(name, options, cache.path()), text);
  }
  EXPECT_TRUE(cache.names("corpus-").empty());
}

TEST(CorporaCases, EvaluationKeepsEveryLine) {
  const testing::TemporaryFolder cache;
  for (const Expected& expected : kCorpora) {
    SCOPED_TRACE(expected.name);
    const auto lines =
        static_cast<std::int64_t>(read_parallel(testing::case_split(expected.name), "data.test").source.size());
    EXPECT_EQ(lines, expected.name == "one_pair" ? 1 : 5);
    EXPECT_EQ(open_case(expected.name, {.training = false}, cache.path())->size(), lines);
  }
  const CorpusPtr empty = open_case("all_empty", {.training = false}, cache.path());
  EXPECT_EQ(sequences(*empty), std::vector<std::vector<TokenId>>(10, {SpecialIds::eos}));
}

TEST(CorporaCases, EveryLineIsInOneBatchOfAnySize) {
  const testing::TemporaryFolder cache;
  for (const std::int64_t lines : {23, 24, 25}) {
    SplitConfig split;
    split.source = {testing::corpora_folder() / ("order_" + std::to_string(lines) + ".src")};
    const CorpusPtr corpus = open_corpus(split, "data.test", testing::case_words(), {.training = false}, cache.path());
    EXPECT_EQ(corpus->size(), lines);
    for (const std::int64_t empty : {3, 11}) EXPECT_EQ(corpus->source(empty).size(), 1U);
    for (const std::int64_t max_tokens : {1, 20, 80, 640}) {
      std::vector<std::int64_t> seen;
      for (const auto& batch : sorted_batches(*corpus, max_tokens)) seen.insert(seen.end(), batch.begin(), batch.end());
      std::sort(seen.begin(), seen.end());
      std::vector<std::int64_t> all(static_cast<std::size_t>(lines));
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
      EXPECT_EQ(seen, all);
    }
  }
}

TEST(CorporaCases, NoneIsForgotten) {
  for (const auto& entry : std::filesystem::directory_iterator(testing::corpora_folder())) {
    const std::string name = entry.path().stem().string();
    if (name.starts_with("order_")) continue;
    const bool known = kErrors.contains(name) ||
                       std::any_of(kCorpora.begin(), kCorpora.end(), [&](const Expected& e) { return e.name == name; });
    EXPECT_TRUE(known) << name;
  }
}

}  // namespace
}  // namespace mha
