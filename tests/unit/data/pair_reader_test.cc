#include "data/pair_reader.h"

#include <zlib.h>

#include "data/corpus.h"
#include "unit/data/data_testing.h"

namespace mha {
namespace {

using testing::TemporaryFolder;
using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs read_all(const SplitConfig& split) {
  PairReader reader(split, "data.train");
  Pairs pairs;
  for (TextPair pair; reader.next(pair);) pairs.emplace_back(pair.source, pair.target);
  return pairs;
}

void write_gzip(const std::filesystem::path& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

TEST(PairReader, ReadsSeveralFilesOneAfterAnother) {
  const TemporaryFolder folder;
  SplitConfig split;
  split.source = {folder.write("1.en", "a\nb\n"), folder.path() / "2.en.gz"};
  write_gzip(split.source[1], "c\n");
  split.target = {folder.write("1.de", "A\nB"), folder.write("2.de", "C\n")};
  EXPECT_EQ(read_all(split), (Pairs{{"a", "A"}, {"b", "B"}, {"c", "C"}}));
}

TEST(PairReader, ReadsColumns) {
  const TemporaryFolder folder;
  SplitConfig split;
  split.tsv = {folder.write("x.tsv", "a b\tA B\r\n\tonly target\n")};
  EXPECT_EQ(read_all(split), (Pairs{{"a b", "A B"}, {"", "only target"}}));
}

TEST(PairReader, NamesTheLineWithoutTwoColumns) {
  const TemporaryFolder folder;
  SplitConfig split;
  split.tsv = {folder.write("x.tsv", "a\tA\nb\n")};
  EXPECT_USER_ERROR(read_all(split), "x.tsv, line 2", "found 1 columns");
  split.tsv = {folder.write("y.tsv", "a\tA\t0.5\n")};
  EXPECT_USER_ERROR(read_all(split), "y.tsv, line 1", "found 3 columns");
}

TEST(PairReader, NamesBothFilesAndCountsIfTheyDiffer) {
  const TemporaryFolder folder;
  SplitConfig split;
  split.source = {folder.write("1.en", "a\n"), folder.write("2.en", "a\nb\nc\n")};
  split.target = {folder.write("1.de", "A\n"), folder.write("2.de", "A\n")};
  EXPECT_USER_ERROR(read_all(split), "data.train", "2.en has 3 lines", "2.de has 1;");
  std::swap(split.source, split.target);
  EXPECT_USER_ERROR(read_all(split), "2.de has 1 lines", "2.en has 3;");
}

TEST(PairReader, EqualTotalsDoNotHideUnequalFiles) {
  const TemporaryFolder folder;
  SplitConfig split;
  split.source = {folder.write("1.en", "a\nb\n"), folder.write("2.en", "c\n")};
  split.target = {folder.write("1.de", "A\n"), folder.write("2.de", "B\nC\n")};
  EXPECT_USER_ERROR(read_all(split), "1.en has 2 lines", "1.de has 1;");
}

TEST(PairReader, RefusesFilesThatDoNotBelongTogether) {
  SplitConfig split;
  EXPECT_USER_ERROR(PairReader(split, "data.valid"), "data.valid names no files");
  split.target = {"x.de"};
  EXPECT_USER_ERROR(PairReader(split, "data.valid"), "`target` is given without `source`");
  split.source = {"x.en", "y.en"};
  EXPECT_USER_ERROR(PairReader(split, "data.valid"), "2 source files but 1 target");
  split.tsv = {"x.tsv"};
  EXPECT_USER_ERROR(PairReader(split, "data.valid"), "`tsv`");
}

TEST(ReadParallel, KeepsEveryLineAndTheRawReferences) {
  const ParallelText text = read_parallel(testing::case_split("bad_utf8"), "data.test");
  ASSERT_EQ(text.source.size(), 5U);
  EXPECT_EQ(text.source[4], "we walk to caf\uFFFD");
  const TemporaryFolder folder;
  SplitConfig split;
  split.source = {folder.write("x", "a\n\nb\n")};
  split.target = {folder.write("y", "  caf\xE9 \n\nB\n")};
  EXPECT_EQ(read_parallel(split, "data.test").target, (std::vector<std::string>{"  caf\xE9 ", "", "B"}));
  split.target.clear();
  EXPECT_TRUE(read_parallel(split, "data.test").target.empty());
  EXPECT_EQ(read_parallel(split, "data.test").source.size(), 3U);
}

TEST(ReadParallel, RefusesUnequalSides) {
  EXPECT_USER_ERROR(read_parallel(testing::case_split("unequal"), "data.test"), "unequal.src has 5 lines",
                    "unequal.trg has 4;");
  EXPECT_USER_ERROR(read_parallel(testing::case_split("extra_blank"), "data.test"), "extra_blank.src has 5 lines",
                    "extra_blank.trg has 6;");
}

}  // namespace
}  // namespace mha
