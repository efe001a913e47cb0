#include "app/progress_observer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/log.h"
#include "base/text.h"

namespace mha {
namespace {

/// At the mean speed so far.
double seconds_left(double seconds, std::int64_t done, std::int64_t all) {
  if (done <= 0 || all <= 0) return kUnknown;
  return std::max(0.0, seconds * (static_cast<double>(all) / static_cast<double>(done) - 1));
}

}  // namespace

void ProgressObserver::on_update(const ProgressState& state, const TrainPoint& point) {
  line_.live(progress(state, point));
}

void ProgressObserver::on_point(const ProgressState& state, const TrainPoint& point) {
  line_.line(progress(state, point));
}

void ProgressObserver::on_validation(const ValidationPoint& v) {
  line_.clear();
  std::string text = "validation after update " + std::to_string(v.num_updates) + ": nll_loss " +
                     format_fixed(v.nll_loss, 4) + ", ppl " + format_fixed(v.ppl, 2);
  if (v.bleu) text += ", BLEU " + format_fixed(*v.bleu, 2);
  log_info(text + (v.best ? " (best so far)" : "") + ", " + format_fixed(v.seconds, 1) + " s");
}

Progress ProgressObserver::progress(const ProgressState& state, const TrainPoint& point) const {
  Progress p;
  p.epoch = point.epoch;
  p.num_updates = point.num_updates;
  p.max_update = max_update_;
  p.loss = point.loss;
  p.ppl = point.ppl;
  p.lr = point.lr;
  p.gnorm = point.gnorm;
  p.wps = point.wps;
  const double seconds = state.total.seconds;
  // Whichever limit is reached first; fmin leaves out what is not known.
  if (max_update_) p.seconds_left = seconds_left(seconds, state.update, *max_update_);
  if (max_epoch_) {
    p.seconds_left = std::fmin(p.seconds_left, seconds_left(seconds, state.total.sentences, pairs_ * *max_epoch_));
  }
  if (max_seconds_) p.seconds_left = std::fmin(p.seconds_left, *max_seconds_ - seconds);
  return p;
}

}  // namespace mha
