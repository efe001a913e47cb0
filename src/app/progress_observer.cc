#include "app/progress_observer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/log.h"
#include "base/text.h"

namespace mha {

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
  const double seconds = state.total.seconds, done = static_cast<double>(state.update);
  if (max_update_ && done > 0) p.seconds_left = seconds / done * (static_cast<double>(*max_update_) - done);
  if (max_seconds_) {
    const double budget = *max_seconds_ - seconds;
    p.seconds_left = std::isfinite(p.seconds_left) ? std::min(p.seconds_left, budget) : budget;
  }
  return p;
}

}  // namespace mha
