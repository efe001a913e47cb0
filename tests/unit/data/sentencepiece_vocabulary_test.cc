#include <sentencepiece_trainer.h>

#include <algorithm>

#include "data/clean_text.h"
#include "data/train_sentencepiece.h"
#include "unit/data/data_testing.h"

namespace mha {
namespace {

using Ids = std::vector<TokenId>;

std::vector<std::string> lines_of(const std::string& name) {
  std::vector<std::string> lines;
  for (const char* side : {".src", ".trg"}) {
    for_each_line(testing::corpora_folder() / (name + side),
                  [&](std::string_view line) { lines.push_back(clean_text(line)); });
  }
  return lines;
}

std::string train_on(const std::vector<std::string>& lines, const VocabConfig& config) {
  return train_sentencepiece(config, [&, i = std::size_t{0}](std::string& line) mutable {
    if (i == lines.size()) return false;
    line = lines[i++];
    return true;
  });
}

VocabularyPtr vocabulary_for(const std::string& name, const VocabConfig& config) {
  return vocabulary_from_bytes(train_on(lines_of(name), config), name);
}

class EveryType : public ::testing::TestWithParam<VocabType> {};
INSTANTIATE_TEST_SUITE_P(SentencePiece, EveryType,
                         ::testing::Values(VocabType::unigram, VocabType::bpe, VocabType::character, VocabType::word),
                         [](const auto& test) { return to_string(test.param); });

TEST_P(EveryType, GivesBackTheTextItWasTrainedOn) {
  // "normalised" holds what NFKC would change: fullwidth letters, ligatures, an ellipsis; 30 kB lines are in
  // "long_line".
  for (const char* name : {"lf", "normalised", "bad_utf8", "nul", "long_line", "unicode_seps"}) {
    const auto vocabulary = vocabulary_for(name, {.type = GetParam()});
    for (const std::string& line : lines_of(name)) EXPECT_EQ(vocabulary->decode(vocabulary->encode(line)), line);
  }
}

TEST_P(EveryType, IsKnownFromTheModel) {
  EXPECT_EQ(vocabulary_for("lf", {.type = GetParam()})->type(), to_string(GetParam()));
}

TEST_P(EveryType, TextNeverBecomesAControlSymbol) {
  const auto vocabulary = vocabulary_for("literal_specials", {.type = GetParam()});
  for (const std::string& line : lines_of("literal_specials")) {
    const Ids ids = vocabulary->encode(line);
    EXPECT_FALSE(ids.empty());
    for (const TokenId id : ids) EXPECT_TRUE(id == SpecialIds::unk || id > SpecialIds::eos) << line << ": " << id;
  }
}

TEST_P(EveryType, IsTheSameEveryTime) {
  EXPECT_EQ(train_on(lines_of("lf"), {.type = GetParam()}), train_on(lines_of("lf"), {.type = GetParam()}));
}

TEST(SentencePiece, SizesAreThoseTheTextAllows) {
  EXPECT_EQ(vocabulary_for("lf", {.type = VocabType::unigram, .size = 8000})->size(), 56);
  EXPECT_EQ(vocabulary_for("lf", {.type = VocabType::bpe, .size = 8000})->size(), 270);
  EXPECT_EQ(vocabulary_for("lf", {.type = VocabType::bpe, .size = 100})->size(), 100);
  EXPECT_USER_ERROR(vocabulary_for("lf", {.type = VocabType::bpe, .size = 5}), "vocab.size is 5", "at least 28");
  EXPECT_USER_ERROR(vocabulary_for("lf", {.type = VocabType::unigram, .size = 5}), "vocab.size is 5", "at least 28");
}

TEST(SentencePiece, UnknownCharactersDoNotVanish) {
  const auto vocabulary = vocabulary_for("lf", {});
  const Ids ids = vocabulary->encode("a 猫 bird");
  EXPECT_EQ(std::count(ids.begin(), ids.end(), SpecialIds::unk), 1);
  EXPECT_EQ(vocabulary->decode(ids), "a \u2047 bird");
}

TEST(SentencePiece, SpecialSymbolsAreLeftOutOfTheText) {
  const auto vocabulary = vocabulary_for("lf", {});
  Ids ids = vocabulary->encode("a red bird");
  ids.insert(ids.begin(), SpecialIds::bos);
  ids.push_back(SpecialIds::eos);
  ids.push_back(SpecialIds::pad);
  EXPECT_EQ(vocabulary->decode(ids), "a red bird");
  EXPECT_EQ(vocabulary->piece(SpecialIds::eos), "</s>");
  EXPECT_THROW(vocabulary->decode(Ids{static_cast<TokenId>(vocabulary->size())}), std::out_of_range);
}

TEST(SentencePiece, BytesAreDecodedToOneLineOfText) {
  const auto vocabulary = vocabulary_for("lf", {.size = 400, .byte_fallback = true});
  const auto byte = [&](const std::string& name) {
    for (TokenId id = 0; id < vocabulary->size(); ++id) {
      if (vocabulary->piece(id) == name) return id;
    }
    throw std::runtime_error("no piece " + name);
  };
  EXPECT_EQ(vocabulary->decode(Ids{byte("<0x0A>")}), " ");
  EXPECT_EQ(vocabulary->decode(Ids{byte("<0x0D>"), byte("<0x00>")}), "  ");
  EXPECT_EQ(vocabulary->decode(Ids{byte("<0xC3>")}), "\uFFFD");
  EXPECT_EQ(vocabulary->decode(vocabulary->encode("猫 bird")), "猫 bird");
}

TEST(SentencePiece, RefusesAModelWithOtherIds) {
  const testing::TemporaryFolder folder;
  const std::string prefix = (folder.path() / "foreign").string();
  const auto input = folder.write("text", "a red bird sings\ntwo cats sleep here\n");
  ASSERT_TRUE(sentencepiece::SentencePieceTrainer::Train("--input=" + input.string() + " --model_prefix=" + prefix +
                                                         " --vocab_size=40 --hard_vocab_limit=false --minloglevel=2")
                  .ok());
  EXPECT_USER_ERROR(load_vocabulary(prefix + ".model"), "foreign.model", "pad -1, unk 0, bos 1, eos 2", "--pad_id=0");
}

TEST(SentencePiece, RefusesAModelThatWasCutAnywhere) {
  const std::string whole = train_on(lines_of("lf"), {.size = 60});
  ASSERT_NO_THROW(vocabulary_from_bytes(whole, "m"));
  for (std::size_t size = 100; size < whole.size() - 100; ++size) {
    EXPECT_THROW(vocabulary_from_bytes(whole.substr(0, size), "m"), UserError) << size << " of " << whole.size();
  }
}

}  // namespace
}  // namespace mha
