#include "unit/data/data_testing.h"

namespace mha {
namespace {

using Ids = std::vector<TokenId>;

VocabularyPtr words(const std::string& list) { return vocabulary_from_bytes(list, "words.txt"); }

TEST(WordVocabulary, GivesIdsFromFourOn) {
  const auto vocabulary = words("the\r\ncat\nKäse");
  EXPECT_EQ(vocabulary->size(), 7);
  EXPECT_EQ(vocabulary->type(), "file");
  EXPECT_EQ(vocabulary->encode("the  Käse\u00a0cat"), (Ids{4, 6, 5}));
  EXPECT_EQ(vocabulary->decode(Ids{SpecialIds::bos, 4, 6, SpecialIds::eos, SpecialIds::pad}), "the Käse");
  EXPECT_EQ(vocabulary->piece(5), "cat");
  EXPECT_TRUE(vocabulary->encode("").empty());
}

TEST(WordVocabulary, UnknownWordsAndLiteralSpecialsAreUnknown) {
  const auto vocabulary = words("the\n");
  EXPECT_EQ(vocabulary->encode("dog <s> </s> <pad> <unk> the"), (Ids{1, 1, 1, 1, 1, 4}));
  EXPECT_EQ(vocabulary->decode(Ids{4, SpecialIds::unk}), "the <unk>");
}

TEST(WordVocabulary, SurvivesSerialisation) {
  const auto vocabulary = words("the\ncat\n");
  const auto again = vocabulary_from_bytes(vocabulary->serialized(), "again");
  EXPECT_EQ(again->hash(), vocabulary->hash());
  EXPECT_EQ(again->encode("cat the"), vocabulary->encode("cat the"));
  EXPECT_NE(words("cat\nthe\n")->hash(), vocabulary->hash());
}

TEST(WordVocabulary, NamesTheLineOfABadWord) {
  EXPECT_USER_ERROR(words("the\n\ncat\n"), "words.txt, line 2", "empty word");
  EXPECT_USER_ERROR(words("the\ncat\nthe\n"), "words.txt, line 3", "\"the\"", "already");
  EXPECT_USER_ERROR(words("the 120\n"), "words.txt, line 1", "white space");
  EXPECT_USER_ERROR(words("the\n<unk>\n"), "words.txt, line 2", "<unk>");
  EXPECT_USER_ERROR(words(""), "words.txt is empty");
}

}  // namespace
}  // namespace mha
