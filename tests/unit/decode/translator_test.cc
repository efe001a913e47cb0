#include "decode/translator.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/text.h"
#include "data/batch.h"
#include "toy_model.h"

namespace mha {
namespace {

std::vector<std::string> order_lines(int count) {
  return read_lines(std::string(MHA_TEST_DATA) + "/corpora/order_" + std::to_string(count) + ".src");
}

/// Every word of the lines.
VocabularyPair words_of(const std::vector<std::string>& lines) {
  std::set<std::string> words;
  for (const std::string& line : lines) {
    for (const std::string_view word : split_unicode_space(line)) words.emplace(word);
  }
  std::string list;
  for (const std::string& word : words) list += word + "\n";
  const VocabularyPtr vocabulary = vocabulary_from_bytes(list, "words");
  return {vocabulary, vocabulary};
}

/// Says the source again; the second best is the source without its first word.
ToyModel echo_model(const VocabularyPair& vocabularies, std::int64_t max_length = 100) {
  const auto size = static_cast<std::size_t>(vocabularies.source->size());
  return ToyModel(vocabularies.source->size(), max_length, [size](const Tokens& source, const Tokens& prefix) {
    std::vector<float> next(size, -30.0F);
    std::size_t at = prefix.size();
    if (!prefix.empty() && prefix[0] != source[0]) ++at;
    if (at < source.size()) next[static_cast<std::size_t>(source[at])] = -0.01F;
    if (prefix.empty() && source.size() > 2) next[static_cast<std::size_t>(source[1])] = -3.0F;
    return next;
  });
}

std::vector<std::string> texts(const std::vector<Translation>& translations) {
  std::vector<std::string> lines;
  for (const Translation& translation : translations) lines.push_back(translation.text());
  return lines;
}

TEST(Translator, OneLineInOneLineOutInOrder) {
  for (const int count : {23, 24, 25}) {
    const auto lines = order_lines(count);
    ASSERT_EQ(lines.size(), static_cast<std::size_t>(count));
    const auto vocabularies = words_of(lines);
    const auto empty = static_cast<std::int64_t>(std::count(lines.begin(), lines.end(), ""));
    ASSERT_GE(empty, 2);
    for (const std::int64_t beam : {1, 3}) {
      for (const std::int64_t batch_size : {1, 2, 8, 64}) {
        ToyModel model = echo_model(vocabularies);
        constexpr std::int64_t kLongest = 15;  // words of the longest line, and EOS
        const std::int64_t batch_tokens = batch_size == 1 ? 1 : kLongest * batch_size;
        Translator translator(model, vocabularies, {.beam = beam, .max_tokens = batch_tokens * beam}, {});
        EXPECT_EQ(texts(translator.translate(lines)), lines);
        EXPECT_EQ(translator.counts().lines, count);
        EXPECT_EQ(translator.counts().empty_lines, empty);
        EXPECT_EQ(translator.counts().cut_lines, 0);
        EXPECT_EQ(translator.counts().source_tokens, translator.counts().target_tokens);
        EXPECT_GE(model.largest_batch(), static_cast<std::size_t>(std::min(batch_size, count - empty)));
        if (batch_size == 1) {
          EXPECT_EQ(model.largest_batch(), 1U);
        }
      }
    }
  }
}

TEST(Translator, BatchSizeChangesNothingWithARandomModel) {
  const auto lines = order_lines(25);
  const auto vocabularies = words_of(lines);
  const std::int64_t size = vocabularies.source->size();
  std::vector<std::string> first;
  for (const std::int64_t max_tokens : {1, 30, 200, 100000}) {
    ToyModel model(size, 30, random_log_probs({.vocab_size = size, .seed = 2, .eos_bias = 2}));
    Translator translator(model, vocabularies, {.beam = 4, .max_tokens = max_tokens}, {});
    const auto found = texts(translator.translate(lines));
    if (first.empty()) first = found;
    EXPECT_EQ(found, first) << max_tokens;
  }
  EXPECT_GT(std::set<std::string>(first.begin(), first.end()).size(), 10U);
}

TEST(Translator, EmptyLinesDoNotReachTheModel) {
  const auto vocabularies = words_of({"a b"});
  ToyModel model = echo_model(vocabularies);
  Translator translator(model, vocabularies, {}, {});
  const auto translations = translator.translate(std::vector<std::string>{"", "  ", "\t"});
  EXPECT_EQ(texts(translations), (std::vector<std::string>{"", "", ""}));
  EXPECT_TRUE(translations[0].nbest[0].hypothesis.tokens.empty());
  EXPECT_EQ(model.starts(), 0);
  EXPECT_EQ(translator.counts().empty_lines, 3);
  EXPECT_TRUE(translator.translate(std::vector<std::string>{}).empty());
}

TEST(Translator, CutsLongSourcesAndCountsThem) {
  const std::vector<std::string> lines = {"a b c d e f", "a b c d e", "a"};
  const auto vocabularies = words_of(lines);
  ToyModel model = echo_model(vocabularies);
  Translator translator(model, vocabularies, {}, {.max_source_length = 6});
  EXPECT_EQ(texts(translator.translate(lines)), (std::vector<std::string>{"a b c d e", "a b c d e", "a"}));
  EXPECT_EQ(translator.counts().cut_lines, 1);
  translator.translate(lines);
  EXPECT_EQ(translator.counts().cut_lines, 2);
  EXPECT_EQ(translator.counts().lines, 6);
}

TEST(Translator, LowerCasesOnlyIfAsked) {
  const auto vocabularies = words_of({"größe zählt"});
  for (const bool lowercase : {false, true}) {
    ToyModel model = echo_model(vocabularies);
    Translator translator(model, vocabularies, {}, {.lowercase = lowercase});
    EXPECT_EQ(translator.translate(std::vector<std::string>{"GRÖSSE ZÄHLT größe"})[0].text() == "<unk> zählt größe",
              lowercase);
  }
}

TEST(Translator, NBest) {
  const auto vocabularies = words_of({"a b c"});
  ToyModel model = echo_model(vocabularies);
  Translator translator(model, vocabularies, {.beam = 4, .nbest = 2}, {});
  const auto nbest = translator.translate(std::vector<std::string>{"a b c"})[0].nbest;
  ASSERT_EQ(nbest.size(), 2U);
  EXPECT_EQ(nbest[0].text, "a b c");
  EXPECT_EQ(nbest[1].text, "b c");
  EXPECT_GT(nbest[0].hypothesis.score, nbest[1].hypothesis.score);
}

TEST(Translator, EncodedCorpusGivesTheSameAsItsLines) {
  const auto lines = order_lines(24);
  const auto vocabularies = words_of(lines);
  std::vector<std::pair<Tokens, Tokens>> pairs;
  // Targets of any length change the batches but not the result.
  for (const std::string& line : lines)
    pairs.emplace_back(vocabularies.source->encode(line), Tokens(pairs.size() % 7, 5));
  ToyModel model = echo_model(vocabularies);
  Translator translator(model, vocabularies, {.beam = 2, .max_tokens = 60}, {});
  EXPECT_EQ(texts(translator.translate(*corpus_of_pairs(pairs))), lines);
}

TEST(Translator, ReportsProgress) {
  const auto lines = order_lines(25);
  const auto vocabularies = words_of(lines);
  ToyModel model = echo_model(vocabularies);
  Translator translator(model, vocabularies, {.beam = 1, .max_tokens = 40}, {});
  std::vector<std::int64_t> seen;
  translator.translate(lines, [&](std::int64_t done, std::int64_t total) {
    EXPECT_EQ(total, 25);
    seen.push_back(done);
  });
  EXPECT_GT(seen.size(), 2U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 25);
}

TEST(Translator, StopSignalInterrupts) {
  const auto vocabularies = words_of({"a b"});
  ToyModel model = echo_model(vocabularies);
  Translator translator(model, vocabularies, {}, {});
  request_stop(2);
  EXPECT_THROW(translator.translate(std::vector<std::string>{"a b"}), Interrupted);
  request_stop(0);
}

}  // namespace
}  // namespace mha
