#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "report/progress.h"
#include "sweep/runner.h"

namespace mha {

/// How a sweep stands, as plain data.
struct SweepView {
  struct Line {
    std::string label;  // "h=8,d_k=64 seed 1"
    Progress progress;
    double nll = kUnknown;  // of its last validation
  };
  std::int64_t done = 0, bad = 0, left_out = 0, total = 0;
  double share = 0;  // of the work that is not left out
  double seconds_left = kUnknown;
  std::vector<Line> running;
  std::string best;  // "h=8,d_k=64 seed 1, BLEU 23.41"; empty before the first
};

/// One line a running cell, the bar, the best so far; each at most `width` columns.
std::vector<std::string> status_lines(const SweepView& view, int width);

/// "h=8,d_k=64 seed 1"
std::string label_of(const SweepRun& run);
/// What a run came to: "BLEU 23.41, nll 2.113", or its reason.
std::string result_of(const Outcome& outcome);

/// Shows a sweep on a stream. On a terminal the lines above are drawn over and over below the messages; elsewhere there
/// are only the messages, a line for each change of state.
class StatusPrinter : public SweepObserver {
 public:
  struct Options {
    std::FILE* stream = stderr;
    bool terminal = false;
    int width = 0;  // 0: ask the terminal each time
  };
  StatusPrinter(const Journal& journal, const Options& options);
  ~StatusPrinter() override { clear(); }

  void started(std::size_t run) override;
  void ended(std::size_t run, const Outcome& outcome) override;
  void note(const std::string& message) override;
  void tick() override;

 private:
  SweepView view() const;
  void consider(std::size_t run, const Outcome& outcome);
  void clear();
  const Journal& journal_;
  Options options_;
  std::vector<std::size_t> running_;
  std::string best_;
  double best_score_ = kUnknown;
  bool best_is_bleu_ = false;
  Stopwatch watch_;
  double share_at_start_ = 0;
  int lines_drawn_ = 0;
  std::optional<Stopwatch> since_drawn_;
};

}  // namespace mha
