#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "report/run_report.h"
#include "report/sweep_file.h"

namespace mha {

/// BLEU over the seeds of a cell.
struct SeedSpread {
  double mean = kUnknown, sd = kUnknown, low = kUnknown, high = kUnknown;

  template <class V>
  static void fields(V& v) {
    using T = SeedSpread;
    v(&T::mean, "mean", "0 to 100", "Mean over the finished seeds.");
    v(&T::sd, "sd", "BLEU", "Standard deviation between them, n - 1 in the denominator; null for one seed.");
    v(&T::low, "low", "0 to 100", "Lower end of the mean's 95 % interval by Student's t; null for one seed.");
    v(&T::high, "high", "0 to 100", "Upper end.");
  }
};

/// The model of a cell. Null: not the same in every attention block.
struct CellShape {
  std::int64_t encoder_layers = 0, decoder_layers = 0, d_model = 0, d_ff = 0;
  std::optional<std::int64_t> num_heads, d_k, d_v, heads_times_d_k;
  double dropout = 0, label_smoothing = 0;

  template <class V>
  static void fields(V& v) {
    using T = CellShape;
    v(&T::encoder_layers, "encoder_layers", "", "Number of encoder layers.");
    v(&T::decoder_layers, "decoder_layers", "", "Number of decoder layers.");
    v(&T::d_model, "d_model", "", "Width of the residual stream.");
    v(&T::d_ff, "d_ff", "", "Inner width of the feed-forward blocks.");
    v(&T::num_heads, "num_heads", "heads", "Number of heads h; null if attention blocks differ.");
    v(&T::d_k, "d_k", "per head", "Width of queries and keys, likewise.");
    v(&T::d_v, "d_v", "per head", "Width of values, likewise.");
    v(&T::heads_times_d_k, "heads_times_d_k", "", "num_heads * d_k.");
    v(&T::dropout, "dropout", "probability", "model.dropout.");
    v(&T::label_smoothing, "label_smoothing", "", "train.label_smoothing.");
  }
};

/// What the weights that a run counts as its best scored on the validation split.
struct ValidationFigures {
  double updates = kUnknown, ppl = kUnknown, bleu = kUnknown;

  template <class V>
  static void fields(V& v) {
    using T = ValidationFigures;
    v(&T::updates, "updates", "updates", "Updates that training made in all.");
    v(&T::ppl, "ppl", kPerplexity, "Of the best validation; exp of the seeds' mean loss.");
    v(&T::bleu, "bleu", "0 to 100", "Of the same validation; null if validations do not translate.");
  }
};

enum class CellVerdict { not_compared, baseline, better, worse, cannot_tell };
constexpr std::array<std::string_view, 5> enum_names(CellVerdict) {
  return {"not compared", "baseline", "better", "worse", "cannot tell"};
}

/// A cell against the baseline cell; differences are cell - baseline, in BLEU.
struct CellAgainstBaseline {
  CellVerdict verdict = CellVerdict::not_compared;
  double difference = kUnknown, low = kUnknown, high = kUnknown, p = kUnknown, p_holm = kUnknown;

  template <class V>
  static void fields(V& v) {
    using T = CellAgainstBaseline;
    v(&T::verdict, "verdict", "", "`baseline`, `better`, `worse`, `cannot tell`, or `not compared`.");
    v(&T::difference, "difference", "BLEU", "Mean over seeds less that of the baseline.");
    v(&T::low, "low", "BLEU", "Lower end of the 95 % interval of the difference, for this comparison alone.");
    v(&T::high, "high", "BLEU", "Upper end.");
    v(&T::p, "p", "", "Two-sided p-value of this comparison alone.");
    v(&T::p_holm, "p_holm", "", "Corrected after Holm for the number of cells that are compared; decides the verdict.");
  }
};

/// A run that did not finish.
struct UnfinishedRun {
  std::int64_t seed = 0;
  SweepRunStatus status = SweepRunStatus::pending;
  std::string reason, log;

  template <class V>
  static void fields(V& v) {
    using T = UnfinishedRun;
    v(&T::seed, "seed", "", "Its seed.");
    v(&T::status, "status", "", "As in sweep.json; `failed` too if what a finished run left cannot be read.");
    v(&T::reason, "reason", "", "Why, in words.");
    v(&T::log, "log", "", "What it wrote to stderr, relative to the sweep's folder.");
  }
};

struct CellPhenomenon {
  std::string name;
  std::int64_t n = 0, correct = 0;
  double accuracy = kUnknown;

  template <class V>
  static void fields(V& v) {
    using T = CellPhenomenon;
    v(&T::name, "name", "", "The phenomenon (data/README.md).");
    v(&T::n, "n", "pairs of sentences", "Over all finished seeds.");
    v(&T::correct, "correct", "pairs of sentences", "Pairs whose right sentence has the higher probability.");
    v(&T::accuracy, "accuracy", "share, 0 to 1", "correct / n.");
  }
};

struct FinishedRun {
  std::int64_t seed = 0;
  std::filesystem::path folder;
  RunReport report;
};

/// One row of a sweep's table. What is not in `fields` is for further work on the cell.
struct CellResult {
  std::string cell;
  json point = json::object();
  std::string status;
  std::int64_t seeds = 0, finished = 0;
  std::vector<UnfinishedRun> unfinished;
  std::optional<CellShape> shape;
  std::optional<std::int64_t> parameters;
  double train_flops_per_token = kUnknown, decode_flops_per_token = kUnknown;
  double nll_loss = kUnknown, ppl = kUnknown;
  SeedSpread bleu;
  CellAgainstBaseline against_baseline;
  double chrf = kUnknown;
  ValidationFigures validation;
  double wps = kUnknown;
  std::optional<std::int64_t> peak_resident_bytes;
  double wall = kUnknown, latency = kUnknown;
  std::string attention_path, decode_path, measured_on;
  bool comparable = true, same_test = true, same_vocabulary = true;
  std::vector<std::string> fronts;
  std::vector<CellPhenomenon> phenomena;

  std::vector<FinishedRun> runs;
  std::string scored_as;               // references and tokenisation of its BLEU
  std::string vocabulary, trained_on;  // hashes, of the target vocabulary and the training pairs; empty: not known
  bool same_training_data = true;      // as the baseline; where vocabularies differ, the hashes cannot tell
  json config;                         // of its first run, or as planned; null if it is not known

  template <class V>
  static void fields(V& v) {
    using T = CellResult;
    v(&T::cell, "cell", "", "The cell.");
    v(&T::point, "point", "", "Its value on each axis but the seed.");
    v(&T::status, "status", "", "`done` if all its runs are, else how many of them are what.");
    v(&T::seeds, "seeds", "runs", "Runs planned.");
    v(&T::finished, "finished", "runs", "Runs that finished; the figures are over these.");
    v(&T::unfinished, "unfinished", "", "The others.");
    v(&T::shape, "shape", "", "The model; null if the configuration is not valid.");
    v(&T::parameters, "parameters", "", "Trained parameters, counted; before a run has finished, as planned.");
    v(&T::train_flops_per_token, "train_flops_per_token", "FLOPs / target token",
      "Matrix products of training, as planned.");
    v(&T::decode_flops_per_token, "decode_flops_per_token", "FLOPs / target token",
      "Matrix products of greedy decoding, as planned.");
    v(&T::nll_loss, "nll_loss", kNats, "Loss on the test split; mean over seeds.");
    v(&T::ppl, "ppl", kPerplexity, "exp(nll_loss); null if that overflows.");
    v(&T::bleu, "bleu", "", "BLEU on the test split.");
    v(&T::against_baseline, "against_baseline", "", "Whether its BLEU differs from the baseline's.");
    v(&T::chrf, "chrf", "0 to 100", "chrF on the test split; mean over seeds.");
    v(&T::validation, "validation", "", "On the validation split; means over seeds.");
    v(&T::wps, "wps", "target tokens / second", "Speed of training; mean over the runs that `measured_on` tells of.");
    v(&T::peak_resident_bytes, "peak_resident_bytes", "bytes", "Most memory resident in any of these runs.");
    v(&T::wall, "wall", "seconds", "Wall time of a run; mean over these runs.");
    v(&T::latency, "latency", "seconds / sentence",
      "Time of translating the test split over its sentences; mean over these runs.");
    v(&T::attention_path, "attention_path", "", "How attention was computed: `packed`, `fused`, `padded` or several.");
    v(&T::decode_path, "decode_path", "", "How translations were computed: `packed` or `generic`.");
    v(&T::measured_on, "measured_on", "",
      "What speed, memory and times depend on besides the model: what most runs of the sweep were measured on, if a "
      "run of this cell was.");
    v(&T::comparable, "comparable", "", "Whether `measured_on` is what most runs of the sweep were measured on.");
    v(&T::same_test, "same_test", "",
      "Whether its BLEU is against the same references, counted in the same way, as the baseline's.");
    v(&T::same_vocabulary, "same_vocabulary", "",
      "Whether its subwords are those of the baseline, so that nll, ppl and tokens/s can be compared.");
    v(&T::fronts, "fronts", "",
      "Pareto fronts of BLEU that it is on: against `tokens/s`, `parameters`, `memory` (of comparable cells).");
    v(&T::phenomena, "phenomena", "", "Accuracy by phenomenon on the test split, over all finished seeds.");
  }
};

}  // namespace mha
