#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "report/training_report.h"

namespace mha {

/// The scores on the test split.
struct TestReport {
  std::string weights, weights_file, source_hash, reference_hash;
  std::int64_t sentences = 0, target_tokens = 0, truncated = 0;
  double nll_loss = kUnknown, ppl = kUnknown;
  json bleu, chrf, chrf_plus_plus, decode;
  std::string decode_path, decode_precision;
  double decode_seconds = kUnknown;
  std::string hypotheses;
  double seconds = 0;

  template <class V>
  static void fields(V& v) {
    using T = TestReport;
    v(&T::weights, "weights", "", "Which weights were scored: `average`, `best` or `last`.");
    v(&T::weights_file, "weights_file", "", "Their file, relative to the run folder.");
    v(&T::source_hash, "source_hash", "SHA-256", "Of the raw source lines, each ended by a line feed.");
    v(&T::reference_hash, "reference_hash", "SHA-256", "Of the reference lines, likewise.");
    v(&T::sentences, "sentences", "lines", "Size of the test split.");
    v(&T::target_tokens, "target_tokens", "tokens", "What the loss is averaged over; EOS counted.");
    v(&T::truncated, "truncated", "pairs",
      "Pairs of which a side was too long and was cut before it was scored or translated; the references of BLEU and "
      "chrF never are.");
    v(&T::nll_loss, "nll_loss", kNats, "Loss without label smoothing; base e.");
    v(&T::ppl, "ppl", kPerplexity, "exp(nll_loss); null if that overflows.");
    v(&T::bleu, "bleu", "0 to 100",
      "Corpus BLEU against the raw reference lines: sacreBLEU's own JSON object (name, score, signature, "
      "verbose_score, "
      "nrefs, case, eff, tok, smooth, version) with the exact score.");
    v(&T::chrf, "chrf", "0 to 100", "chrF, likewise.");
    v(&T::chrf_plus_plus, "chrf_plus_plus", "0 to 100", "chrF++, likewise.");
    v(&T::decode, "decode", "", "Settings of the search: the `decode` section of the configuration.");
    v(&T::decode_path, "decode_path", "",
      "How translations were computed: `packed` (kernels for few rows) or `generic` (LibTorch's operations).");
    v(&T::decode_precision, "decode_precision", "", "What its matrix products worked in: `fp32`, `bf16` or `int8`.");
    v(&T::decode_seconds, "decode_seconds", "seconds", "Duration of translating alone.");
    v(&T::hypotheses, "hypotheses", "",
      "File of the translations, one line a source line, relative to the run folder; from `mha-train eval`, the file "
      "that it was told to write.");
    v(&T::seconds, "seconds", "seconds", "Duration of translating and scoring.");
  }
};

struct PhaseSeconds {
  double data = 0, training = 0, validation = 0, saving = 0, test = 0, total = 0;

  template <class V>
  static void fields(V& v) {
    using T = PhaseSeconds;
    v(&T::data, "data", "seconds",
      "Vocabulary and encoded corpora: making them or opening them from the cache; of this process.");
    v(&T::training, "training", "seconds", "Updates, waiting for batches included.");
    v(&T::validation, "validation", "seconds", "Validations, translating included.");
    v(&T::saving, "saving", "seconds", "Writing checkpoints.");
    v(&T::test, "test", "seconds", "The test at the end; of this process.");
    v(&T::total, "total", "seconds", "Wall time of all processes of the run, start-up and everything else included.");
  }
};

struct ThroughputReport {
  double wps = kUnknown, source_wps = kUnknown, ups = kUnknown, wpb = kUnknown, bsz = kUnknown;
  std::int64_t target_tokens = 0, source_tokens = 0;
  std::string counted =
      "Tokens are subwords of the training pairs, EOS counted, padding not; the time is training time "
      "(seconds.training): "
      "no validation, no saving, no preparation.";
  double padding_share = kUnknown, data_wait_share = kUnknown;
  PhaseSeconds seconds;

  template <class V>
  static void fields(V& v) {
    using T = ThroughputReport;
    v(&T::wps, "wps", "target tokens / second", "target_tokens / seconds.training.");
    v(&T::source_wps, "source_wps", "source tokens / second", "source_tokens / seconds.training.");
    v(&T::ups, "ups", "updates / second", "Updates over the same time.");
    v(&T::wpb, "wpb", "target tokens / update", "Mean size of an update.");
    v(&T::bsz, "bsz", "sentences / update", "Mean number of sentence pairs in an update.");
    v(&T::target_tokens, "target_tokens", "tokens", "Target tokens trained on, over all passes.");
    v(&T::source_tokens, "source_tokens", "tokens", "Source tokens trained on, over all passes.");
    v(&T::counted, "counted", "", "In words: what the counts count.");
    v(&T::padding_share, "padding_share", "share, 0 to 1",
      "What padding to rectangles would have added, among all their positions, both sides. The rows that are computed "
      "are packed, without it.");
    v(&T::data_wait_share, "data_wait_share", "share, 0 to 1", "Training time spent waiting for a batch.");
    v(&T::seconds, "seconds", "",
      "Where the time went. `data` and `test` are of the process that wrote this report, the others of all processes "
      "of the run.");
  }
};

struct MemoryReport {
  std::int64_t peak_resident_bytes = 0;
  std::optional<std::int64_t> peak_tensor_bytes;
  std::int64_t model_bytes = 0, gradient_bytes = 0, optimizer_bytes = 0;

  template <class V>
  static void fields(V& v) {
    using T = MemoryReport;
    v(&T::peak_resident_bytes, "peak_resident_bytes", "bytes",
      "Most memory resident at once in any one process of the run (VmHWM), test included; of a process that was "
      "killed, up to its last save.");
    v(&T::peak_tensor_bytes, "peak_tensor_bytes", "bytes",
      "Most memory held at once by tensors of the process that wrote this report; null where it is not measured.");
    v(&T::model_bytes, "model_bytes", "bytes", "The parameters, each filled up to 64 bytes.");
    v(&T::gradient_bytes, "gradient_bytes", "bytes",
      "Their gradients: a set for each part that batches are divided into, at most one a thread.");
    v(&T::optimizer_bytes, "optimizer_bytes", "bytes", "The optimizer's moments.");
  }
};

/// How often the model finds the right sentence likelier than the minimally wrong one.
struct PhenomenonReport {
  std::string name;
  std::int64_t n = 0, correct = 0;
  double accuracy = kUnknown, low = kUnknown, high = kUnknown;

  template <class V>
  static void fields(V& v) {
    using T = PhenomenonReport;
    v(&T::name, "name", "", "The phenomenon (data/README.md).");
    v(&T::n, "n", "pairs of sentences", "Right and wrong sentences compared.");
    v(&T::correct, "correct", "pairs of sentences", "Pairs whose right sentence has the higher probability.");
    v(&T::accuracy, "accuracy", "share, 0 to 1", "correct / n.");
    v(&T::low, "low", "share, 0 to 1", "Lower end of the 95 % Wilson interval.");
    v(&T::high, "high", "share, 0 to 1", "Upper end.");
  }
};

}  // namespace mha
