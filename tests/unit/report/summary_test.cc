#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/run_report.h"
#include "unit/report/sample_report.h"

namespace mha {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Summary, ShowsTheEssentials) {
  EXPECT_EQ(summary_table(sample_report()),
            "status         completed\n"
            "updates        1,200 in epoch 3\n"
            "parameters     1,234,567\n"
            "training loss  750.0000\n"
            "best nll_loss  3.5000  on validation, update 600\n"
            "skipped        1\n"
            "test loss      3.5000  nats per target token, average weights\n"
            "test ppl       33.115\n"
            "test BLEU      38.20  nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0\n"
            "test chrF      -\n"
            "negation       95.0 %  [91.0, 97.3], n = 200\n"
            "tokens/s       12,346 target, 11,000 source\n"
            "peak memory    1.5 GiB\n"
            "wall time      1:02:03  (training 0:00)\n");
}

TEST(Summary, ARunThatFailedHasNoScores) {
  RunReport report;
  report.status = RunStatus::diverged;
  report.reason = "the loss is not finite at update 12";
  const std::string table = summary_table(report);
  EXPECT_THAT(table, HasSubstr("diverged: the loss is not finite at update 12"));
  EXPECT_THAT(table, HasSubstr("tokens/s     - target, - source"));
  EXPECT_THAT(table, Not(HasSubstr("BLEU")));
}

}  // namespace
}  // namespace mha
