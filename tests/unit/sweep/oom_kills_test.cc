#include "sweep/oom_kills.h"

#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace mha {
namespace {

using testing::TemporaryFolder;

TEST(OomKills, OfTheControlGroup) {
  const TemporaryFolder two;
  two.write("proc/self/cgroup", "0::/user/job\n");
  two.write("sys/fs/cgroup/user/job/memory.events", "low 0\nhigh 3\noom 2\noom_kill 5\noom_group_kill 0\n");
  two.write("proc/vmstat", "nr_free_pages 17\noom_kill 90\n");
  EXPECT_EQ(oom_kills(two.path()), 5);
  const TemporaryFolder one;
  one.write("proc/self/cgroup", "12:cpu,cpuacct:/x\n9:memory:/job\n");
  one.write("sys/fs/cgroup/memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n");
  EXPECT_EQ(oom_kills(one.path()), 4);
}

TEST(OomKills, OfTheMachineWhereTheGroupDoesNotSay) {
  const TemporaryFolder folder;
  EXPECT_EQ(oom_kills(folder.path()), 0);
  folder.write("proc/self/cgroup", "0::/\n");
  folder.write("proc/vmstat", "nr_free_pages 17\noom_kill 90\n");
  EXPECT_EQ(oom_kills(folder.path()), 90);
}

}  // namespace
}  // namespace mha
