#include "sweep/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/error.h"
#include "support/message_of.h"
#include "support/temporary_folder.h"

namespace mha {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

using Ids = std::vector<std::string>;

TEST(RunClaims, ARunIsDrivenByOneOnly) {
  const TemporaryFolder folder;
  const auto file = folder / "lock";
  auto first = std::make_unique<RunClaims>(file, Ids{"000000000001", "ffffffffffff"});
  const RunClaims other_runs(file, Ids{"000000000002", "fffffffffffe"});
  EXPECT_THAT(message_of([&] {
                RunClaims(file, Ids{"000000000003", "ffffffffffff"});
              }),
              HasSubstr("at work on run ffffffffffff"));
  RunClaims not_kept(file, Ids{"000000000003"});  // what the refused one had claimed is free
  first.reset();
  EXPECT_NO_THROW(RunClaims(file, Ids{"ffffffffffff"}));
}

TEST(SweepWriteLock, DoesNotTouchTheClaims) {
  const TemporaryFolder folder;
  const RunClaims claims(folder / "lock", Ids{"ffffffffffff"});
  { const SweepWriteLock lock(folder / "lock"); }
  EXPECT_NE(message_of([&] { RunClaims(folder / "lock", Ids{"ffffffffffff"}); }), "nothing was thrown");
}

}  // namespace
}  // namespace mha
