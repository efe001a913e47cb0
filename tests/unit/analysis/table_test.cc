#include "analysis/table.h"

#include <gtest/gtest.h>

namespace mha {
namespace {

Table sample() {
  return {.title = "Sample",
          .columns = {{"cell", "cell", true}, {"bleu", "BLEU"}, {"d_k", "d_k", false, "$d_k$"}},
          .rows = {{{"h=1, 50 %", "h=1, 50 %"}, {"39.70", 39.7000123}, {"4", 4}},
                   {{"ä|*", "ä|*"}, {"-", nullptr}, {"64", json::array({"a", "b"})}}},
          .rules = {1}};
}

TEST(Table, TextIsAligned) {
  EXPECT_EQ(text_table(sample()),
            "cell        BLEU  d_k\n"
            "---------------------\n"
            "h=1, 50 %  39.70    4\n"
            "---------------------\n"
            "ä|*            -   64\n");
}

TEST(Table, TextHasNoLineInItsCellsAndNoSpaceAtTheEnd) {
  const Table table{
      .title = "", .columns = {{"a", "a", true}, {"b", "b", true}}, .rows = {{{"x\ny", "x\ny"}, {"", nullptr}}}};
  EXPECT_EQ(text_table(table), "a    b\n------\nx y\n");
  EXPECT_EQ(text_table({.title = "", .columns = {}, .rows = {}}), "\n\n");
}

TEST(Table, MarkdownIsAPipeTable) {
  EXPECT_EQ(markdown_table(sample()),
            "| cell | BLEU | d\\_k |\n"
            "|---|---:|---:|\n"
            "| h=1, 50 % | 39.70 | 4 |\n"
            "| ä\\|\\* | - | 64 |\n");
}

TEST(Table, LatexIsATabular) {
  EXPECT_EQ(latex_table(sample()),
            "\\begin{tabular}{lrr}\n"
            "\\hline\n"
            "cell & BLEU & $d_k$ \\\\\n"
            "\\hline\n"
            "h=1, 50 \\% & 39.70 & 4 \\\\\n"
            "\\hline\n"
            "ä\\textbar{}* & - & 64 \\\\\n"
            "\\hline\n"
            "\\end{tabular}\n");
}

TEST(Table, CsvHasValuesInFull) {
  EXPECT_EQ(csv_table(sample()),
            "cell,bleu,d_k\n"
            "\"h=1, 50 %\",39.7000123,4\n"
            "ä|*,,a; b\n");
}

TEST(Table, JsonRowsAreObjects) {
  EXPECT_EQ(json_rows(sample()), json::parse(R"([{"cell": "h=1, 50 %", "bleu": 39.7000123, "d_k": 4},
                            {"cell": "ä|*", "bleu": null, "d_k": ["a", "b"]}])"));
}

TEST(Table, LatexEscapesWhatItWouldTakeForItsOwn) {
  EXPECT_EQ(latex_escape("a_b & 5 % of $1 #2 {x} ~ ^ \\ <y>"),
            "a\\_b \\& 5 \\% of \\$1 \\#2 \\{x\\} \\textasciitilde{} \\textasciicircum{} \\textbackslash{} "
            "\\textless{}y\\textgreater{}");
}

TEST(Table, MarkdownEscapesWhatItWouldTakeForItsOwn) {
  EXPECT_EQ(markdown_escape("a*b* `c` |d| <e> _f_ [g](h) \\"), "a\\*b\\* \\`c\\` \\|d\\| &lt;e> \\_f\\_ \\[g](h) \\\\");
}

TEST(Table, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field(""), "");
}

}  // namespace
}  // namespace mha
