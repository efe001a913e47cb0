#include <algorithm>

#include "base/system.h"
#include "data/batch.h"
#include "data/corpus_file.h"
#include "unit/data/data_testing.h"

namespace mha {
namespace {

constexpr std::int64_t kPairs = 400'000;

TEST(CorpusMemory, TheCorpusDoesNotBecomeResident) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer keeps freed memory";
#endif
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "corpus.bin";
  {
    CorpusWriter writer(path);
    const std::vector<TokenId> sequence(50, 4);
    for (std::int64_t pair = 0; pair < kPairs; ++pair) writer.add(sequence, sequence);
    writer.commit({}, "");
  }
  ASSERT_GT(std::filesystem::file_size(path), 160'000'000U);
  const std::int64_t before = resident_bytes();
  const CorpusPtr corpus = map_corpus(path);
  EXPECT_LT(resident_bytes() - before, 5'000'000);
  BatchSequence sequence(corpus, {.max_tokens = 100000});
  std::int64_t largest = 0, pairs = 0;
  while (sequence.position().epoch == 1) {
    const auto batch = sequence.next();
    pairs += make_batch(*corpus, batch).source.count();
    largest = std::max(largest, resident_bytes() - before);
  }
  EXPECT_EQ(pairs, kPairs);
  EXPECT_LT(largest, 64'000'000);
}

}  // namespace
}  // namespace mha
