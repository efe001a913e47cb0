#pragma once

#include <array>

#include "config/fields.h"

namespace mha {

enum class OptimizerName { adam, adamw };
constexpr std::array<std::string_view, 2> enum_names(OptimizerName) { return {"adam", "adamw"}; }
enum class Schedule { inverse_sqrt, noam, cosine, constant };
constexpr std::array<std::string_view, 4> enum_names(Schedule) {
  return {"inverse_sqrt", "noam", "cosine", "constant"};
}

struct OptimizerConfig {
  OptimizerName name = OptimizerName::adam;
  double lr = 5e-4;
  std::vector<double> betas = {0.9, 0.98};
  double eps = 1e-9, weight_decay = 0.0;
  Schedule lr_scheduler = Schedule::inverse_sqrt;
  std::int64_t warmup_updates = 4000;
  double warmup_init_lr = 0.0;
  double min_lr = 0.0;
  std::int64_t cooldown_updates = 0;
  double clip_norm = 0.0;

  template <class V>
  static void fields(V& v) {
    v(&OptimizerConfig::name, "name", any(),
      "`adam` (weight_decay is added to the gradient) or `adamw` (decay apart from the gradient).");
    v(&OptimizerConfig::lr, "lr", positive(), "Peak learning rate; for `noam` the factor before d_model^-0.5.");
    v(&OptimizerConfig::betas, "betas", range(0, 1), "Adam's two decay rates.");
    v(&OptimizerConfig::eps, "eps", at_least(1e-30), "Adam's epsilon, added to the root of the second moment.");
    v(&OptimizerConfig::weight_decay, "weight_decay", at_least(0), "Weight decay.");
    v(&OptimizerConfig::lr_scheduler, "lr_scheduler", any(),
      "After the warm-up: `inverse_sqrt`: lr * sqrt(warmup / update); `noam`: lr * d_model^-0.5 * min(update^-0.5, "
      "update * warmup^-1.5); "
      "`cosine`: to min_lr at max_update; `constant`.");
    v(&OptimizerConfig::warmup_updates, "warmup_updates", at_least(0),
      "Updates of linear warm-up; update 1 already has lr > 0. 0: none.");
    v(&OptimizerConfig::warmup_init_lr, "warmup_init_lr", at_least(0), "Where the warm-up starts from.");
    v(&OptimizerConfig::min_lr, "min_lr", at_least(0), "Lowest learning rate of `cosine`.");
    v(&OptimizerConfig::cooldown_updates, "cooldown_updates", at_least(0),
      "Over the last so many updates before max_update the learning rate is also multiplied by a line from 1 to 0.");
    v(&OptimizerConfig::clip_norm, "clip_norm", at_least(0),
      "Gradients are scaled down to this 2-norm; 0: not at all.");
  }
  bool operator==(const OptimizerConfig&) const = default;
};

enum class Precision { automatic, fp32, bf16 };
constexpr std::array<std::string_view, 3> enum_names(Precision) { return {"auto", "fp32", "bf16"}; }
enum class ValidationBleu { none, greedy, beam };
constexpr std::array<std::string_view, 3> enum_names(ValidationBleu) { return {"none", "greedy", "beam"}; }
enum class BestMetric { nll_loss, bleu };
constexpr std::array<std::string_view, 2> enum_names(BestMetric) { return {"nll_loss", "bleu"}; }
enum class FinalWeights { automatic, last, best, average };
constexpr std::array<std::string_view, 4> enum_names(FinalWeights) { return {"auto", "last", "best", "average"}; }

struct TrainConfig {
  std::optional<std::int64_t> max_update, max_epoch;
  std::optional<double> max_seconds;
  std::int64_t update_freq = 1;
  double label_smoothing = 0.1;
  std::int64_t validate_interval_updates = 500;
  ValidationBleu validation_bleu = ValidationBleu::greedy;
  BestMetric best_checkpoint_metric = BestMetric::nll_loss;
  std::int64_t patience = 0;
  std::int64_t save_interval_updates = 0;
  std::int64_t keep_last = 2;
  std::int64_t average_last = 0;
  FinalWeights final_weights = FinalWeights::automatic;
  Precision precision = Precision::automatic;
  bool recompute = false;
  std::int64_t log_interval = 50;
  std::int64_t max_bad_updates = 10;

  template <class V>
  static void fields(V& v) {
    v(&TrainConfig::max_update, "max_update", at_least(1), "Stop after so many updates.");
    v(&TrainConfig::max_epoch, "max_epoch", at_least(1), "Stop after so many passes over the training pairs.");
    v(&TrainConfig::max_seconds, "max_seconds", positive(),
      "Stop after so many seconds of training, over all resumptions. Validations do not count.");
    v(&TrainConfig::update_freq, "update_freq", at_least(1), "Batches whose gradients are summed into one update.");
    v(&TrainConfig::label_smoothing, "label_smoothing", below_one(),
      "Share of the target distribution spread evenly over the vocabulary, the padding symbol left out.");
    v(&TrainConfig::validate_interval_updates, "validate_interval_updates", at_least(0),
      "Updates between validations; 0: only at the end.");
    v(&TrainConfig::validation_bleu, "validation_bleu", any(),
      "How validations translate for BLEU: `greedy`, `beam` (with the decode section), or `none`.");
    v(&TrainConfig::best_checkpoint_metric, "best_checkpoint_metric", any(),
      "What decides which weights are best, and feeds `patience`.");
    v(&TrainConfig::patience, "patience", at_least(0),
      "Stop after so many validations in a row without a new best; 0: never.");
    v(&TrainConfig::save_interval_updates, "save_interval_updates", at_least(0),
      "Updates between saved training states, besides those at validations and at the end.");
    v(&TrainConfig::keep_last, "keep_last", at_least(1), "Training states kept; older ones are deleted.");
    v(&TrainConfig::average_last, "average_last", at_least(0),
      "Keep the weights of so many last validations and average them at the end; 0: none.");
    v(&TrainConfig::final_weights, "final_weights", any(),
      "Which weights the test is scored with: `average`, `best` or `last`; `auto`: the average if average_last > 1, "
      "else the best.");
    v(&TrainConfig::precision, "precision", any(),
      "`fp32`, `bf16` (activations and matrix products in bf16; weights, moments, norms' statistics and losses in "
      "fp32), or `auto`: bf16 "
      "where the processor has instructions for it.");
    v(&TrainConfig::recompute, "recompute", any(),
      "Keep only the input of each layer and make its activations again in the backward pass: less memory, about a "
      "third more time, the same result.");
    v(&TrainConfig::log_interval, "log_interval", at_least(1), "Updates between progress lines and train events.");
    v(&TrainConfig::max_bad_updates, "max_bad_updates", at_least(0),
      "An update whose loss or gradient is not finite is skipped and counted; after more than so many the run ends as "
      "`diverged`.");
  }
  bool operator==(const TrainConfig&) const = default;
};

enum class LengthPenalty { avg, wu };
constexpr std::array<std::string_view, 2> enum_names(LengthPenalty) { return {"avg", "wu"}; }

enum class DecodePath { automatic, generic };
constexpr std::array<std::string_view, 2> enum_names(DecodePath) { return {"auto", "generic"}; }
enum class DecodePrecision { fp32, bf16, int8 };
constexpr std::array<std::string_view, 3> enum_names(DecodePrecision) { return {"fp32", "bf16", "int8"}; }

struct DecodeConfig {
  std::int64_t beam = 5;
  double lenpen = 1.0;
  LengthPenalty lenpen_type = LengthPenalty::avg;
  double max_len_a = 1.2;
  std::int64_t max_len_b = 10;
  std::int64_t min_len = 1;
  std::int64_t nbest = 1;
  std::int64_t max_tokens = 8192;
  DecodePath path = DecodePath::automatic;
  DecodePrecision precision = DecodePrecision::fp32;

  template <class V>
  static void fields(V& v) {
    v(&DecodeConfig::beam, "beam", range(1, 1000), "Beam size; 1 is greedy.");
    v(&DecodeConfig::lenpen, "lenpen", at_least(0), "Exponent of the length penalty; 0: none.");
    v(&DecodeConfig::lenpen_type, "lenpen_type", any(),
      "`avg`: log-probability / length^lenpen; `wu`: / ((5 + length) / 6)^lenpen (Wu et al., 2016). EOS counts in the "
      "length.");
    v(&DecodeConfig::max_len_a, "max_len_a", at_least(0),
      "A translation has at most max_len_a * source length + max_len_b subwords, EOS counted in both.");
    v(&DecodeConfig::max_len_b, "max_len_b", at_least(1), "See max_len_a.");
    v(&DecodeConfig::min_len, "min_len", at_least(1),
      "A translation has at least so many subwords, EOS counted, unless max_len_a and max_len_b end it before.");
    v(&DecodeConfig::nbest, "nbest", at_least(1), "Translations per sentence; at most `beam`.");
    v(&DecodeConfig::max_tokens, "max_tokens", at_least(1),
      "Size of a decoding batch in source subwords times beam. Changes speed only.");
    v(&DecodeConfig::path, "path", any(),
      "`auto`: packed weights and kernels for few rows where there are such (on the CPU, for the usual attention); "
      "`generic`: always the operations that every attention kind and device has. The results are the same but for "
      "rounding.");
    v(&DecodeConfig::precision, "precision", any(),
      "What the packed path's matrix products work in: `fp32`, `bf16`, or `int8` (weights with a scale per output, "
      "activations with a scale per row). The generic path is fp32.");
  }
  bool operator==(const DecodeConfig&) const = default;
};

enum class ScoreTokenizer { tok_13a, none, character, zh, intl };
constexpr std::array<std::string_view, 5> enum_names(ScoreTokenizer) { return {"13a", "none", "char", "zh", "intl"}; }

/// How translations are compared with the references: sacreBLEU's settings, part of its signature.
struct ScoreConfig {
  ScoreTokenizer tokenize = ScoreTokenizer::tok_13a;
  bool lowercase = false;

  template <class V>
  static void fields(V& v) {
    v(&ScoreConfig::tokenize, "tokenize", any(),
      "sacreBLEU's tokeniser for BLEU: `13a` for raw text, `none` for corpora that are tokenised already, `zh` for "
      "Chinese, "
      "`char` or `intl`.");
    v(&ScoreConfig::lowercase, "lowercase", any(), "BLEU and chrF ignore case.");
  }
  bool operator==(const ScoreConfig&) const = default;
};

}  // namespace mha
