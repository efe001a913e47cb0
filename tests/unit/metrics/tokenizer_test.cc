#include "metrics/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

namespace mha {
namespace {

using Tokens = std::vector<std::string>;
using ::testing::HasSubstr;

TEST(Tokenizer, Case13aTable) {
  const auto rows = read_lines(MHA_TEST_DATA "/bleu/tokenizer13a.jsonl");
  ASSERT_EQ(rows.size(), 16U);
  for (const auto& line : rows) {
    const auto row = parse_json(line, "tokenizer13a.jsonl");
    EXPECT_EQ(bleu_tokens(row["in"].get<std::string>(), BleuTokenizer::k13a), row["tokens"].get<Tokens>()) << line;
  }
}

TEST(Tokenizer, CaseB2RulesOf13a) {
  const auto tokens = [](std::string_view line) { return bleu_tokens(line, BleuTokenizer::k13a); };
  EXPECT_EQ(tokens("In 2023."), (Tokens{"In", "2023", "."}));
  EXPECT_EQ(tokens("3.14.15"), (Tokens{"3.14.15"}));
  EXPECT_EQ(tokens("2-3 x-1"), (Tokens{"2", "-", "3", "x-1"}));
  EXPECT_EQ(tokens("a&amp;lt;b"), (Tokens{"a", "<", "b"}));
  EXPECT_EQ(tokens("line-\nend\nnext"), (Tokens{"lineend", "next"}));
}

TEST(Tokenizer, OnlyZhKeepsAFullStopAfterAFinalDigit) {
  EXPECT_EQ(bleu_tokens("5.", BleuTokenizer::k13a), (Tokens{"5", "."}));
  EXPECT_EQ(bleu_tokens("5.", BleuTokenizer::kZh), (Tokens{"5."}));
}

TEST(Tokenizer, ZhTakesGeneralPunctuationAndNotExtensionB) {
  EXPECT_EQ(bleu_tokens("中文a“b”\U00020000\U00020001", BleuTokenizer::kZh),
            (Tokens{"中", "文", "a", "“", "b", "”", "\U00020000\U00020001"}));
}

TEST(Tokenizer, IntlSeparatesUnicodePunctuationAndSymbols) {
  EXPECT_EQ(bleu_tokens("„Ja“ 1,5€ 1. x²!", BleuTokenizer::kIntl),
            (Tokens{"„", "Ja", "“", "1,5", "€", "1", ".", "x²!"}));
}

TEST(Tokenizer, CharAndNone) {
  EXPECT_EQ(bleu_tokens("aß 中!", BleuTokenizer::kChar), (Tokens{"a", "ß", "中", "!"}));
  EXPECT_EQ(bleu_tokens(" a,b\u00A0c. ", BleuTokenizer::kNone), (Tokens{"a,b", "c."}));
}

TEST(Tokenizer, LowercasesBeforeItTokenises) {
  EXPECT_EQ(bleu_tokens("ΤΟΥΣ &AMP; <SKIPPED>", BleuTokenizer::k13a, true), (Tokens{"τους", "&"}));
}

TEST(Tokenizer, NamesGoBothWays) {
  for (const auto& name : bleu_tokenizer_names()) EXPECT_EQ(bleu_tokenizer_name(parse_bleu_tokenizer(name)), name);
  EXPECT_EQ(bleu_tokenizer_names().size(), 5U);
  try {
    parse_bleu_tokenizer("14a");
    FAIL() << "an unknown name was taken";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("14a"));
    EXPECT_THAT(error.what(), HasSubstr("13a, none, char, zh, intl"));
  }
}

}  // namespace
}  // namespace mha
