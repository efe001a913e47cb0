#include "data/corpus.h"
#include "unit/data/data_testing.h"

namespace mha {
namespace {

using testing::TemporaryFolder;

DataConfig data_of(const std::string& name) {
  DataConfig data;
  data.train = testing::case_split(name);
  return data;
}

TEST(MakeVocabularies, TrainsOnceAndKeepsItByContent) {
  const TemporaryFolder cache;
  const VocabularyPair first = make_vocabularies({.size = 60}, data_of("lf"), cache.path());
  EXPECT_TRUE(first.joint());
  EXPECT_EQ(first.source->size(), 60);
  const auto names = cache.names("vocab-");
  ASSERT_EQ(names.size(), 1U);
  const auto written = std::filesystem::last_write_time(cache.path() / names[0]);
  EXPECT_EQ(make_vocabularies({.size = 60}, data_of("lf"), cache.path()).source->hash(), first.source->hash());
  EXPECT_EQ(std::filesystem::last_write_time(cache.path() / names[0]), written);
  make_vocabularies({.size = 61}, data_of("lf"), cache.path());
  EXPECT_EQ(cache.names("vocab-").size(), 2U);
}

TEST(MakeVocabularies, LineEndsDoNotMatter) {
  const TemporaryFolder cache;
  const auto hash_for = [&](const char* name) {
    return make_vocabularies({}, data_of(name), cache.path()).source->hash();
  };
  for (const char* name : {"crlf", "bom", "no_final_newline", "mixed_eol", "lone_cr", "unicode_seps", "nbsp"}) {
    EXPECT_EQ(hash_for(name), hash_for("lf")) << name;
  }
}

TEST(MakeVocabularies, OneForEachSide) {
  const TemporaryFolder cache;
  const VocabularyPair pair = make_vocabularies({.joint = false}, data_of("lf"), cache.path());
  EXPECT_FALSE(pair.joint());
  EXPECT_EQ(pair.source->decode(pair.source->encode("a red bird")), "a red bird");
  EXPECT_EQ(pair.target->decode(pair.target->encode("rotas vogelo")), "rotas vogelo");
  EXPECT_NE(pair.source->hash(), pair.target->hash());
}

// A model file is read without complaint whatever a piece of it became.
TEST(MakeVocabularies, AChangedFileIsMadeAnew) {
  const TemporaryFolder cache;
  const std::string hash = make_vocabularies({}, data_of("lf"), cache.path()).source->hash();
  const auto path = cache.path() / cache.names("vocab-").at(0);
  const std::string whole = read_file(path);
  std::string changed = whole;
  const std::size_t piece = changed.find("bird");
  ASSERT_NE(piece, std::string::npos);
  changed[piece] = 'x';
  write_file(path, changed);
  EXPECT_NE(load_vocabulary(path)->hash(), hash);
  EXPECT_EQ(make_vocabularies({}, data_of("lf"), cache.path()).source->hash(), hash);
  EXPECT_EQ(read_file(path), whole);
}

TEST(MakeVocabularies, ACutFileIsMadeAnew) {
  const TemporaryFolder cache;
  const std::string hash = make_vocabularies({}, data_of("lf"), cache.path()).source->hash();
  const auto path = cache.path() / cache.names("vocab-").at(0);
  write_file(path, read_file(path).substr(0, 300));
  EXPECT_EQ(make_vocabularies({}, data_of("lf"), cache.path()).source->hash(), hash);
  EXPECT_EQ(load_vocabulary(path)->hash(), hash);
}

TEST(MakeVocabularies, SaysTheLargestSizeIfTheLimitIsHard) {
  const TemporaryFolder cache;
  EXPECT_USER_ERROR(make_vocabularies({.hard_limit = true}, data_of("lf"), cache.path()), "vocab.size is 8000",
                    "at most 270");
  EXPECT_USER_ERROR(make_vocabularies({.type = VocabType::unigram, .hard_limit = true}, data_of("lf"), cache.path()),
                    "at most 56");
  EXPECT_EQ(make_vocabularies({}, data_of("lf"), cache.path()).source->size(), 270);
  EXPECT_USER_ERROR(make_vocabularies({.size = 5}, data_of("lf"), cache.path()), "at least 28");
  EXPECT_EQ(make_vocabularies({.size = 28, .hard_limit = true}, data_of("lf"), cache.path()).source->size(), 28);
}

TEST(MakeVocabularies, LowerCasesWhatItTrainsOn) {
  const TemporaryFolder cache;
  DataConfig data;
  data.train.source = {cache.write("x", "ÄPFEL Äpfel\n")};
  data.train.target = {cache.write("y", "Apples APPLES\n")};
  data.lowercase = true;
  const auto vocabulary = make_vocabularies({}, data, cache.path()).source;
  EXPECT_EQ(vocabulary->decode(vocabulary->encode("äpfel apples")), "äpfel apples");
  EXPECT_EQ(vocabulary->encode("Ä").back(), SpecialIds::unk);
}

TEST(MakeVocabularies, TakesGivenOnes) {
  const TemporaryFolder cache;
  VocabConfig config{.type = VocabType::file};
  EXPECT_USER_ERROR(make_vocabularies(config, {}, cache.path()), "vocab.model");
  config.source_model = cache.write("en", "the\ncat\n");
  EXPECT_USER_ERROR(make_vocabularies(config, {}, cache.path()), "vocab.target_model");
  config.target_model = cache.write("de", "die\nKatze\n");
  EXPECT_EQ(make_vocabularies(config, {}, cache.path()).target->piece(5), "Katze");
  config.target_model = config.source_model;
  EXPECT_TRUE(make_vocabularies(config, {}, cache.path()).joint());
  config.model = config.source_model;
  EXPECT_TRUE(make_vocabularies(config, {}, cache.path()).joint());
}

TEST(MakeVocabularies, UnequalOrEmptyTextIsFoundBeforeTraining) {
  const TemporaryFolder cache;
  EXPECT_USER_ERROR(make_vocabularies({}, data_of("unequal"), cache.path()), "has 5 lines", "has 4");
  EXPECT_USER_ERROR(make_vocabularies({}, data_of("all_empty"), cache.path()), "holds no text", "5 pairs");
  EXPECT_USER_ERROR(make_vocabularies({}, data_of("zero_bytes"), cache.path()), "holds no text", "0 pairs");
  EXPECT_TRUE(cache.names("vocab-").empty());
}

}  // namespace
}  // namespace mha
