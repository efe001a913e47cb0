#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mha {

/// "Not known": written as null.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
inline constexpr const char* kNats = "nats per target token";
inline constexpr const char* kPerplexity = "per target subword";

/// One point of the training curve and one `train` event: averages over the updates since the point before.
struct TrainPoint {
  std::int64_t num_updates = 0, epoch = 0;
  double loss = kUnknown, nll_loss = kUnknown, ppl = kUnknown, lr = kUnknown, gnorm = kUnknown, clip = kUnknown;
  double wps = kUnknown, ups = kUnknown, wpb = kUnknown, bsz = kUnknown;
  std::int64_t target_tokens = 0, source_tokens = 0;
  double train_wall = 0;

  template <class V>
  static void fields(V& v) {
    using T = TrainPoint;
    v(&T::num_updates, "num_updates", "updates", "Updates made so far, skipped ones counted.");
    v(&T::epoch, "epoch", "", "The pass over the training pairs that the last update was in, from 1.");
    v(&T::loss, "loss", kNats, "Training loss, label smoothing included; base e; EOS is a token, padding is not.");
    v(&T::nll_loss, "nll_loss", kNats, "The same without label smoothing.");
    v(&T::ppl, "ppl", kPerplexity, "exp(nll_loss); null if that overflows.");
    v(&T::lr, "lr", "", "Learning rate of the last update.");
    v(&T::gnorm, "gnorm", "", "2-norm of the gradient of the loss per target token, before clipping.");
    v(&T::clip, "clip", "share of updates, 0 to 1", "How many gradients were longer than clip_norm.");
    v(&T::wps, "wps", "target tokens / second", "Speed over training time only.");
    v(&T::ups, "ups", "updates / second", "The same in updates.");
    v(&T::wpb, "wpb", "target tokens / update", "Mean size of an update.");
    v(&T::bsz, "bsz", "sentences / update", "Mean number of sentence pairs in an update.");
    v(&T::target_tokens, "target_tokens", "tokens", "Target tokens trained on since the run's start; EOS counted.");
    v(&T::source_tokens, "source_tokens", "tokens", "Source tokens likewise.");
    v(&T::train_wall, "train_wall", "seconds",
      "Training time since the run's start, over all resumptions; without validations and saving.");
  }
};

struct ValidationPoint {
  std::int64_t num_updates = 0, epoch = 0;
  double nll_loss = kUnknown, ppl = kUnknown;
  std::optional<double> bleu = std::nullopt;
  bool best = false;
  std::int64_t sentences = 0, target_tokens = 0;
  double seconds = 0, train_wall = 0;

  template <class V>
  static void fields(V& v) {
    using T = ValidationPoint;
    v(&T::num_updates, "num_updates", "updates", "After so many updates.");
    v(&T::epoch, "epoch", "", "The pass that training was in, from 1.");
    v(&T::nll_loss, "nll_loss", kNats, "Loss on the validation split without label smoothing; base e.");
    v(&T::ppl, "ppl", kPerplexity, "exp(nll_loss); null if that overflows.");
    v(&T::bleu, "bleu", "0 to 100",
      "Corpus BLEU against the raw reference lines; null if validations do not translate.");
    v(&T::best, "best", "", "Whether these weights became the best so far.");
    v(&T::sentences, "sentences", "pairs", "Size of the validation split.");
    v(&T::target_tokens, "target_tokens", "tokens", "What the loss is averaged over; EOS counted.");
    v(&T::seconds, "seconds", "seconds", "Duration of the validation, translating included.");
    v(&T::train_wall, "train_wall", "seconds", "Training time before it.");
  }
};

struct SkippedUpdate {
  std::int64_t num_updates = 0, epoch = 0;
  std::string reason;

  template <class V>
  static void fields(V& v) {
    using T = SkippedUpdate;
    v(&T::num_updates, "num_updates", "updates", "Which update, from 1; it changed nothing.");
    v(&T::epoch, "epoch", "", "The pass that training was in, from 1.");
    v(&T::reason, "reason", "", "What was not finite: the loss or the gradient.");
  }
};

enum class CheckpointKind { state, best, snapshot, average, last };
constexpr std::array<std::string_view, 5> enum_names(CheckpointKind) {
  return {"state", "best", "snapshot", "average", "last"};
}

struct CheckpointRecord {
  CheckpointKind kind = CheckpointKind::state;
  std::string file;
  std::int64_t num_updates = 0, bytes = 0;

  template <class V>
  static void fields(V& v) {
    using T = CheckpointRecord;
    v(&T::kind, "kind", "",
      "`state`: everything needed to resume; `best`: the best weights; `snapshot`: weights kept for the average; "
      "`average`: their mean; `last`: the weights at the end of training.");
    v(&T::file, "file", "", "Path relative to the run folder.");
    v(&T::num_updates, "num_updates", "updates", "Updates made when it was taken; of an average, the last of them.");
    v(&T::bytes, "bytes", "bytes", "Size of the file.");
  }
};

struct BestPoint {
  std::string metric;
  double value = kUnknown;
  std::int64_t num_updates = 0;

  template <class V>
  static void fields(V& v) {
    using T = BestPoint;
    v(&T::metric, "metric", "", "What decides: `nll_loss` or `bleu`.");
    v(&T::value, "value", "as the metric", "Its value on the validation split.");
    v(&T::num_updates, "num_updates", "updates", "After so many updates.");
  }
};

struct TrainingReport {
  std::int64_t num_updates = 0, epoch = 0;
  std::string stop_reason;
  double train_wall = 0;
  std::vector<TrainPoint> curve;
  std::vector<ValidationPoint> validations;
  std::optional<BestPoint> best;
  std::vector<SkippedUpdate> skipped_updates;
  std::vector<CheckpointRecord> checkpoints;

  template <class V>
  static void fields(V& v) {
    using T = TrainingReport;
    v(&T::num_updates, "num_updates", "updates", "Updates made, skipped ones counted.");
    v(&T::epoch, "epoch", "", "The last pass over the training pairs, from 1.");
    v(&T::stop_reason, "stop_reason", "",
      "Why training ended: `max_update`, `max_epoch`, `max_seconds`, `patience`, …");
    v(&T::train_wall, "train_wall", "seconds", "Training time, over all resumptions; without validations and saving.");
    v(&T::curve, "curve", "", "The training curve, one point each log_interval updates.");
    v(&T::validations, "validations", "", "Every validation.");
    v(&T::best, "best", "", "The best validation; null before the first.");
    v(&T::skipped_updates, "skipped_updates", "", "Updates that were left out because something was not finite.");
    v(&T::checkpoints, "checkpoints", "", "The checkpoint files that were there at the end.");
  }
};

}  // namespace mha
