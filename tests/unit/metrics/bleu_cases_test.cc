// Every row of tests/cases/bleu/expected.tsv: files that users of scoring tools stumbled over.

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "metrics/bleu.h"

namespace mha {
namespace {

const std::string kFolder = MHA_TEST_DATA "/bleu/";

BleuScore score_case(const std::string& name) {
  return corpus_bleu(read_lines(kFolder + name + ".hyp"), {read_lines(kFolder + name + ".ref")});
}

void expect_row(const std::vector<std::string>& row) {
  const BleuScore score = score_case(row.at(0));
  const auto number = [](const std::string& text) { return std::strtod(text.c_str(), nullptr); };
  EXPECT_NEAR(score.score, number(row.at(1)), 1e-9);
  if (row.at(1) == "0.0") {
    EXPECT_EQ(score.score, 0.0);  // not nearly
  }
  EXPECT_LE(score.score, 100.0);
  const auto precisions = split(row.at(2), '/');
  ASSERT_EQ(precisions.size(), score.precisions.size());
  for (std::size_t n = 0; n < precisions.size(); ++n) EXPECT_EQ(format_fixed(score.precisions[n], 4), precisions[n]);
  EXPECT_EQ(format_fixed(score.bp, 6), row.at(3));
  EXPECT_EQ(std::to_string(score.hyp_len) + "/" + std::to_string(score.ref_len), row.at(4));
}

TEST(BleuCases, EveryRow) {
  auto rows = read_lines(kFolder + "expected.tsv");
  ASSERT_EQ(rows.size(), 21U);
  rows.erase(rows.begin());
  for (const auto& line : rows) {
    SCOPED_TRACE(line);
    const auto row = split(line, '\t');
    if (row.at(1) == "ERROR") {
      EXPECT_THROW(score_case(row.at(0)), UserError);
    } else {
      expect_row(row);
    }
  }
}

TEST(BleuCases, WindowsFilesGiveTheVeryScoreOfUnixFiles) {
  EXPECT_EQ(score_case("02_crlf_hyp").score, score_case("01_base").score);
  EXPECT_EQ(score_case("05_bom_ref").score, score_case("01_base").score);
}

}  // namespace
}  // namespace mha
