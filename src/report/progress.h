#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "report/training_report.h"

namespace mha {

/// Where training stands. What is not known stays NaN and is left out or shown as "-".
struct Progress {
  std::int64_t epoch = 0, num_updates = 0;
  std::optional<std::int64_t> max_update = std::nullopt;
  double loss = kUnknown, ppl = kUnknown, lr = kUnknown, gnorm = kUnknown, wps = kUnknown;
  double seconds_left = kUnknown;
};

/// "update 1,200/12,000 (10 %) | ETA 4:05 | epoch 3 | loss 4.217 | ppl 18.60 | …" in at most `width` columns: the least
/// important parts are left out first. Width 0: no limit.
std::string format_progress(const Progress& progress, int width = 0);

/// Columns of the terminal behind a stream; 80 if it does not say.
int terminal_width(std::FILE* stream);

/// The progress of training on a stream. On a terminal one line is written over and over; elsewhere only line() writes,
/// whole lines without control codes.
class ProgressLine {
 public:
  explicit ProgressLine(std::FILE* stream = stderr);
  /// `width`: columns; 0: ask the terminal each time.
  ProgressLine(std::FILE* stream, bool terminal, int width);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// After every update. On a terminal it redraws, at most ten times a second; elsewhere it does nothing.
  void live(const Progress& progress);
  /// Every log_interval updates. On a terminal the same as live(), but always drawn; elsewhere a line.
  void line(const Progress& progress);
  /// Takes the live line away; call it before anything else writes to the terminal. The next call draws it again.
  void clear();

 private:
  void draw(const Progress& progress);
  std::FILE* stream_;
  bool terminal_, drawn_ = false;
  int width_;
  std::optional<Stopwatch> since_drawn_;
};

}  // namespace mha
