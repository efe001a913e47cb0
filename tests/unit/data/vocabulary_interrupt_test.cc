#include <csignal>
#include <thread>

#include "base/clock.h"
#include "base/stop.h"
#include "data/train_sentencepiece.h"
#include "unit/data/data_testing.h"

namespace mha {
namespace {

TEST(VocabularyInterrupt, TrainingEndsSoonAfterAStopIsAskedFor) {
  const Stopwatch watch;
  std::thread asker([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    request_stop(SIGTERM);
  });
  // A text without an end: only the stop can end this.
  const LineSource endless = [](std::string& line) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    line = "a red bird sings";
    return true;
  };
  try {
    train_sentencepiece({}, endless);
    ADD_FAILURE() << "not interrupted";
  } catch (const Interrupted& interrupted) {
    EXPECT_EQ(interrupted.signal_number(), SIGTERM);
  }
  asker.join();
  request_stop(0);
  EXPECT_LT(watch.seconds(), 2.3);
}

TEST(VocabularyInterrupt, FailuresInsideAreTold) {
  const LineSource failing = [](std::string&) -> bool { throw UserError("cannot read x.gz: cut"); };
  EXPECT_USER_ERROR(train_sentencepiece({}, failing), "cannot train a bpe vocabulary", "cannot read x.gz: cut");
  const LineSource killed = [](std::string&) -> bool { return raise(SIGKILL) == 0; };
  EXPECT_USER_ERROR(train_sentencepiece({}, killed), "killed by signal 9");
}

}  // namespace
}  // namespace mha
