#include "train/trainer.h"

#include <algorithm>
#include <cmath>

#include "base/log.h"
#include "base/stop.h"
#include "base/system.h"
#include "base/text.h"
#include "data/vocabulary.h"
#include "ops/adam.h"
#include "train/lr_schedule.h"

namespace mha {
namespace {

double per(double sum, double count) { return count > 0 ? sum / count : kUnknown; }

}  // namespace

Paused::Paused(std::int64_t update)
    : std::runtime_error("stopped after update " + std::to_string(update) + " as asked (--stop-after-updates)") {}

Trainer::Trainer(const RunConfig& config, Parts parts)
    : config_(config),
      parts_(std::move(parts)),
      batches_(parts_.corpus, batch_options(config)),
      runner_(parts_.model, *parts_.corpus, runner_options(config, parts_.dtype, parts_.threads)) {
  state_.best = BestTracker(config.train.best_checkpoint_metric == BestMetric::bleu);
  state_.started = utc_now();
  state_.data_hash = parts_.corpus->hash();
}

bool Trainer::resume() {
  if (!parts_.checkpoints.restore(state_)) return false;
  if (state_.data_hash != parts_.corpus->hash()) {
    throw UserError("the training data are not those that this run began with (hash " +
                    parts_.corpus->hash().substr(0, 12) + " instead of " + state_.data_hash.substr(0, 12) +
                    "): bring them back, or start anew with another --run-dir");
  }
  batches_.seek(state_.position());
  parts_.events.truncate_to(state_.events_position);
  ++state_.restarts;
  seconds_before_ = state_.total_seconds;
  return true;
}

std::optional<std::string> Trainer::why_stop() const {
  const TrainConfig& train = config_.train;
  if (train.max_update && state_.update >= *train.max_update) return "max_update";
  if (train.max_epoch && state_.next_epoch > *train.max_epoch) return "max_epoch";
  if (train.max_seconds && state_.total.seconds >= *train.max_seconds) return "max_seconds";
  if (train.patience > 0 && state_.best.without_improvement() >= train.patience) return "patience";
  return std::nullopt;
}

bool Trainer::validation_due() const {
  const std::int64_t interval = config_.train.validate_interval_updates;
  return parts_.validate && interval > 0 && state_.update > 0 && state_.update % interval == 0 &&
         state_.validated_update != state_.update;
}

std::string Trainer::run() {
  const auto save_due = [&] {
    const std::int64_t interval = config_.train.save_interval_updates;
    return interval > 0 && state_.update % interval == 0 && !validation_due();  // which saves, too
  };
  try {
    std::optional<std::string> reason;
    while (!reason) {
      throw_if_stopped();
      if (validation_due()) run_validation();
      reason = why_stop();
      if (reason) break;
      if (parts_.stop_after > 0 && state_.update >= parts_.stop_after) {
        save_state();
        throw Paused(state_.update);
      }
      train_update();
      if (save_due()) save_state();
    }
    if (state_.since_log.updates > 0) log_point();  // what has come since the last full interval
    if (parts_.validate && state_.validated_update != state_.update) run_validation();
    if (!std::isfinite(norm_of(parts_.model.parameters().flat_values())))
      throw Diverged("the weights are not finite" + remedy());
    const CheckpointRecord last = parts_.checkpoints.save_last(state_.update);
    save_state();
    // Not known to the state: a run resumed from here, stopped during its test, gets here and writes this again.
    parts_.events.write(last);
    return *reason;
  } catch (const Interrupted&) {
    save_state();
    throw;
  }
}

UpdateSums Trainer::accumulate(std::int64_t number) {
  UpdateSums sums;
  const std::int64_t epoch = state_.next_epoch;
  for (std::int64_t micro = 0; micro < config_.train.update_freq; ++micro) {
    if (micro > 0) {
      throw_if_stopped();
      if (batches_.position().epoch != epoch) break;  // an update does not reach over the end of a pass
    }
    const Stopwatch waiting;
    const std::vector<std::int64_t> pairs = batches_.next();
    sums.wait_seconds += waiting.seconds();
    sums += runner_.run(pairs, dropout_key(config_, number, micro));
  }
  runner_.reduce_gradients();
  return sums;
}

void Trainer::train_update() {
  const Stopwatch watch;
  ParameterStore& parameters = parts_.model.parameters();
  const std::int64_t number = state_.update + 1;
  runner_.zero_gradients();
  UpdateSums sums;
  try {
    sums = accumulate(number);
  } catch (const Interrupted&) {
    batches_.seek(state_.position());  // the update begins anew when the run is resumed
    throw;
  }
  const auto tokens = static_cast<double>(sums.target_tokens);
  const double gnorm = norm_of(parameters.flat_gradients()) / tokens;
  state_.update = number;
  state_.epoch = state_.next_epoch;
  state_.next_epoch = batches_.position().epoch;
  state_.next_batch = batches_.position().batch;
  if (!std::isfinite(sums.loss) || !std::isfinite(gnorm)) {
    state_.total.seconds += watch.seconds();  // or a run that only skips would never reach max_seconds
    skip_update(std::isfinite(sums.loss) ? "the gradient" : "the loss");
    return;
  }
  const double lr = learning_rate(config_.optimizer, number, config_.model.d_model, config_.train.max_update);
  const double clip = config_.optimizer.clip_norm;
  const bool clipped = clip > 0 && gnorm > clip;
  parts_.optimizer.step(number - state_.skipped_updates, lr, (clipped ? clip / gnorm : 1.0) / tokens);
  sums.updates = 1;
  sums.clipped = clipped ? 1 : 0;
  sums.seconds = watch.seconds();
  finish_update(sums, gnorm, lr);
}

void Trainer::finish_update(const UpdateSums& sums, double gnorm, double lr) {
  UpdateSums counted = sums;
  counted.gnorm = gnorm;
  state_.total += counted;
  state_.since_log += counted;
  last_lr_ = lr;
  if (state_.update % config_.train.log_interval == 0) {
    log_point();
  } else {
    parts_.observer.on_update(state_, point(state_.since_log));
  }
}

void Trainer::skip_update(const std::string& what) {
  ++state_.skipped_updates;
  parts_.events.write(SkippedUpdate{state_.update, state_.epoch, what + " is not finite"});
  log_warning(what + " is not finite at update " + std::to_string(state_.update) + "; the update is skipped");
  // Without a validation nothing else would tell that the last weights are of no use.
  const bool ends_badly = !parts_.validate && why_stop();
  if (state_.skipped_updates > config_.train.max_bad_updates || ends_badly) {
    throw Diverged(what + " is not finite" + remedy());
  }
}

std::string Trainer::remedy() const {
  return " at update " + std::to_string(state_.update) + ", with " + std::to_string(state_.skipped_updates) +
         " updates skipped for that reason (train.max_bad_updates is " + std::to_string(config_.train.max_bad_updates) +
         "); a lower optimizer.lr, a longer warm-up or optimizer.clip_norm may help";
}

TrainPoint Trainer::point(const UpdateSums& sums) const {
  TrainPoint point;
  const auto updates = static_cast<double>(sums.updates), tokens = static_cast<double>(sums.target_tokens);
  point.num_updates = state_.update;
  point.epoch = state_.epoch;
  point.loss = per(sums.loss, tokens);
  point.nll_loss = per(sums.nll, tokens);
  point.ppl = std::exp(point.nll_loss);
  point.lr = last_lr_;
  point.gnorm = per(sums.gnorm, updates);
  point.clip = per(static_cast<double>(sums.clipped), updates);
  point.wps = per(tokens, sums.seconds);
  point.ups = per(updates, sums.seconds);
  point.wpb = per(tokens, updates);
  point.bsz = per(static_cast<double>(sums.sentences), updates);
  point.target_tokens = state_.total.target_tokens;
  point.source_tokens = state_.total.source_tokens;
  point.train_wall = state_.total.seconds;
  return point;
}

void Trainer::log_point() {
  const TrainPoint logged = point(state_.since_log);
  state_.since_log = {};
  parts_.events.write(logged);
  parts_.observer.on_point(state_, logged);
}

void Trainer::run_validation() {
  const Stopwatch watch;
  ValidationPoint validation = parts_.validate();
  validation.num_updates = state_.update;
  validation.epoch = state_.epoch;
  validation.train_wall = state_.total.seconds;
  validation.seconds = watch.seconds();
  const bool by_bleu = config_.train.best_checkpoint_metric == BestMetric::bleu;
  validation.best =
      state_.best.observe(by_bleu ? validation.bleu.value_or(kUnknown) : validation.nll_loss, state_.update);
  state_.validated_update = state_.update;
  state_.validation_seconds += validation.seconds;
  parts_.events.write(validation);
  parts_.observer.on_validation(validation);
  // Before the state is saved: whoever resumes gets here again.
  if (!std::isfinite(validation.nll_loss) && why_stop()) throw Diverged("the validation loss is not finite" + remedy());
  {
    const TimedScope saving(state_.saving_seconds);
    if (validation.best) parts_.events.write(parts_.checkpoints.save_best(state_.update));
    if (config_.train.average_last > 0) parts_.events.write(parts_.checkpoints.save_snapshot(state_.update));
  }
  save_state();
}

void Trainer::save_state() {
  state_.events_position = parts_.events.position();
  state_.total_seconds = seconds_before_ + process_watch_.seconds();
  state_.peak_resident_bytes = std::max(state_.peak_resident_bytes, peak_resident_bytes());
  const TimedScope saving(state_.saving_seconds);
  parts_.checkpoints.save_state(state_);
}

}  // namespace mha
