#include "base/text.h"
#include "unit/config/config_testing.h"

namespace mha {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Docs, RowsHoldKeyValuesDefaultAndMeaning) {
  EXPECT_THAT(config_markdown(),
              HasSubstr("| `d_model` | an integer from 1 to 16384 | `512` | Width of the residual stream. |"));
  EXPECT_THAT(config_markdown(), HasSubstr("| `norm` | \"pre\" or \"post\" | `\"pre\"` |"));
}

TEST(Docs, EveryTableRowHasFourCells) {
  for (const std::string& line : split(config_markdown(), '\n')) {
    if (!line.starts_with("|")) continue;
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    EXPECT_EQ(bars, 5U) << line;
  }
}

TEST(Docs, SectionsOfTheSameKeysShareATable) {
  EXPECT_THAT(config_markdown(), HasSubstr("## `data.train`, `data.valid`, `data.test`\n"));
  EXPECT_THAT(config_markdown(), Not(HasSubstr("## `data.valid`")));
}

}  // namespace
}  // namespace mha
