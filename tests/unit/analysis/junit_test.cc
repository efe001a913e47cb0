#include "analysis/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/analysis/gate_testing.h"

namespace mha {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Junit, EscapesWhatXmlCannotHold) {
  EXPECT_EQ(xml_escaped("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&apos;");
  EXPECT_EQ(xml_escaped("tab\tline\nreturn\r"), "tab&#9;line&#10;return&#13;");
  EXPECT_EQ(xml_escaped(std::string("\0\x01\x1b[0m", 6)), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD[0m");
  EXPECT_EQ(xml_escaped("\xEF\xBF\xBE"), "\xEF\xBF\xBD");  // U+FFFE
  EXPECT_EQ(xml_escaped("caf\xE9"), "caf\xEF\xBF\xBD");
  EXPECT_EQ(xml_escaped("na\xC3\xAFve \xF0\x9F\x98\x80"), "na\xC3\xAFve \xF0\x9F\x98\x80");
}

TEST(Junit, ATestCaseAMetric) {
  RunReport report = scored_report();
  report.test->bleu["score"] = 20.0;
  const std::string text =
      comparison_junit(compared(base_side(), side_of(report, "a<b>"), rules_for("bleu=0.5,chrf=0.5")));
  const std::string counts = R"( tests="8" failures="1" errors="0" skipped="6" time="0")";
  EXPECT_THAT(text, AllOf(::testing::StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts),
                          HasSubstr("<testsuite name=\"mha-train compare base a&lt;b&gt;\"" + counts)));
  EXPECT_THAT(text,
              HasSubstr("    <testcase classname=\"mha-train.compare\" name=\"bleu\" time=\"0\">\n"
                        "      <failure message=\"bleu fell by 10.30 (34.0 %), tolerance 0.5\" "
                        "type=\"regression\">fell by 10.30 (34.0 %), tolerance 0.5</failure>\n    </testcase>\n"));
  EXPECT_THAT(text, HasSubstr("<testcase classname=\"mha-train.compare\" name=\"chrf\" time=\"0\"/>\n"));
  EXPECT_THAT(text, HasSubstr("<skipped message=\"not gated: no tolerance was given for it\"/>"));
}

}  // namespace
}  // namespace mha
