#pragma once

#include <limits>

#include "report/run_report.h"

namespace mha {

/// A report in which every optional part is there. The loss of the last point has overflowed its perplexity, and a
/// string holds a byte that is not UTF-8.
inline RunReport sample_report() {
  RunReport r;
  r.status = RunStatus::completed;
  r.name = "sample";
  r.config = {{"seed", 1}, {"optimizer", {{"lr", 0.005}}}};
  r.provenance.version = "0.1.0";
  r.provenance.processor = "caf\xE9";
  r.provenance.threads = 2;
  r.data["train"] = {
      .read = 5, .used = 3, .dropped = {{"empty_both", 2}}, .source_tokens = 12, .target_tokens = 14, .hash = ""};
  r.vocabulary = {
      .type = "bpe", .joint = true, .source_size = 56, .target_size = 56, .source_hash = "", .target_hash = ""};
  r.parameters.num_params = 1234567;
  r.attention.push_back({.place = "cross",
                         .kind = "scaled_dot",
                         .path = "packed",
                         .num_heads = 12,
                         .d_k = 43,
                         .d_v = 43,
                         .scale = 0.1525,
                         .attention_dropout_kind = "element"});
  r.training.num_updates = 1200;
  r.training.epoch = 3;
  r.training.curve = {
      {.num_updates = 600, .epoch = 1, .loss = 4.5, .nll_loss = 3.25, .ppl = 25.79, .lr = 1e-3, .gnorm = 1.5},
      {.num_updates = 1200,
       .epoch = 3,
       .loss = 760.0,
       .nll_loss = 750.0,
       .ppl = std::numeric_limits<double>::infinity()}};
  r.training.validations = {{.num_updates = 600, .epoch = 1, .nll_loss = 3.5, .ppl = 33.1, .bleu = 12.5, .best = true}};
  r.training.best = BestPoint{"nll_loss", 3.5, 600};
  r.training.skipped_updates = {{.num_updates = 7, .epoch = 1, .reason = "the gradient"}};
  r.training.checkpoints = {
      {.kind = CheckpointKind::best, .file = "checkpoints/best.safetensors", .num_updates = 600, .bytes = 4096}};
  r.test.emplace();
  r.test->weights = "average";
  r.test->nll_loss = 3.5;
  r.test->ppl = 33.115;
  r.test->bleu = {
      {"name", "BLEU"}, {"score", 38.205}, {"signature", "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"}};
  r.phenomena = {{.name = "negation", .n = 200, .correct = 190, .accuracy = 0.95, .low = 0.91, .high = 0.973}};
  r.throughput.wps = 12345.6;
  r.throughput.source_wps = 11000;
  r.throughput.seconds.total = 3723;
  r.memory.peak_resident_bytes = std::int64_t{3} << 29;
  r.memory.peak_tensor_bytes = 1000;
  return r;
}

}  // namespace mha
