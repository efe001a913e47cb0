#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "report/training_report.h"

namespace mha {

/// What a run was made by, on and from: enough to make it again.
struct Provenance {
  std::string version, commit, libtorch, sentencepiece;
  std::string processor, instruction_set, device, precision;
  std::int64_t threads = 0, seed = 0;
  std::string started, ended;
  std::int64_t restarts = 0;
  std::string config_hash;

  template <class V>
  static void fields(V& v) {
    using T = Provenance;
    v(&T::version, "version", "", "Version of mha-train.");
    v(&T::commit, "commit", "", "Commit it was built from; `-dirty`: with changes of its own.");
    v(&T::libtorch, "libtorch", "", "Version of LibTorch.");
    v(&T::sentencepiece, "sentencepiece", "", "Version of SentencePiece.");
    v(&T::processor, "processor", "", "Model name of the processor.");
    v(&T::instruction_set, "instruction_set", "", "The widest instruction set of it that matters here.");
    v(&T::device, "device", "", "Where the model ran: `cpu` or `cuda`.");
    v(&T::precision, "precision", "", "`fp32` or `bf16`, as resolved.");
    v(&T::threads, "threads", "threads", "Processor threads, as resolved.");
    v(&T::seed, "seed", "", "Seed of everything random.");
    v(&T::started, "started", "UTC", "When the run was first started.");
    v(&T::ended, "ended", "UTC", "When this report was written.");
    v(&T::restarts, "restarts", "", "How often the run was resumed.");
    v(&T::config_hash, "config_hash", "SHA-256",
      "Of the resolved configuration without the keys that do not change the result (see \"The run folder\").");
  }
};

struct SplitReport {
  std::int64_t read = 0, used = 0, truncated = 0, repaired = 0;
  std::map<std::string, std::int64_t> dropped;
  std::int64_t source_tokens = 0, target_tokens = 0, source_unknown = 0, target_unknown = 0;
  std::string hash;

  template <class V>
  static void fields(V& v) {
    using T = SplitReport;
    v(&T::read, "read", "pairs", "Lines of the files.");
    v(&T::used, "used", "pairs", "Pairs that were used.");
    v(&T::truncated, "truncated", "pairs", "Used pairs that were too long and were cut.");
    v(&T::repaired, "repaired", "pairs",
      "Used pairs in which U+FFFD stands in for bytes that are no text (validation and test; training drops them).");
    v(&T::dropped, "dropped", "pairs",
      "Pairs that were not used, by reason: `empty_both`, `empty_source`, `too_long`, …");
    v(&T::source_tokens, "source_tokens", "tokens", "Source subwords of the used pairs; EOS counted.");
    v(&T::target_tokens, "target_tokens", "tokens", "Target subwords likewise.");
    v(&T::source_unknown, "source_unknown", "tokens", "Unknown symbols among the source subwords.");
    v(&T::target_unknown, "target_unknown", "tokens", "Unknown symbols among the target subwords.");
    v(&T::hash, "hash", "SHA-256", "Of the raw text of both sides, the vocabularies and the options of encoding.");
  }
};

struct VocabularyReport {
  std::string type;
  bool joint = false;
  std::int64_t source_size = 0, target_size = 0;
  std::string source_hash, target_hash;

  template <class V>
  static void fields(V& v) {
    using T = VocabularyReport;
    v(&T::type, "type", "",
      "How text is cut, by the vocabulary itself: `bpe`, `unigram`, `char` or `word` of SentencePiece; `file`: a list "
      "of "
      "words. If the sides differ, of both: `bpe / file`.");
    v(&T::joint, "joint", "", "Whether both sides share one vocabulary.");
    v(&T::source_size, "source_size", "subwords", "Size of the source vocabulary, the four special symbols counted.");
    v(&T::target_size, "target_size", "subwords", "Size of the target vocabulary.");
    v(&T::source_hash, "source_hash", "SHA-256", "Of the source vocabulary's file.");
    v(&T::target_hash, "target_hash", "SHA-256", "Of the target vocabulary's file.");
  }
};

struct ParameterReport {
  std::int64_t num_params = 0;
  std::int64_t embeddings = 0, positions = 0, output = 0;
  std::int64_t encoder_self_attention = 0, decoder_self_attention = 0, cross_attention = 0;
  std::int64_t encoder_feed_forward = 0, decoder_feed_forward = 0, norms = 0, other = 0;

  /// Sum over the parts, which must be num_params.
  std::int64_t parts() const {
    return embeddings + positions + output + encoder_self_attention + decoder_self_attention + cross_attention +
           encoder_feed_forward + decoder_feed_forward + norms + other;
  }

  template <class V>
  static void fields(V& v) {
    using T = ParameterReport;
    v(&T::num_params, "num_params", "parameters",
      "All of them; a tied matrix counts once. The other keys are its parts.");
    v(&T::embeddings, "embeddings", "parameters", "Source and target embeddings; the output matrix too if it is tied.");
    v(&T::positions, "positions", "parameters", "Learned positions; 0 for sinusoids.");
    v(&T::output, "output", "parameters", "Output matrix and bias, as far as they are not tied.");
    v(&T::encoder_self_attention, "encoder_self_attention", "parameters", "All layers together.");
    v(&T::decoder_self_attention, "decoder_self_attention", "parameters", "All layers together.");
    v(&T::cross_attention, "cross_attention", "parameters", "Attention from the decoder to the encoder.");
    v(&T::encoder_feed_forward, "encoder_feed_forward", "parameters", "All layers together.");
    v(&T::decoder_feed_forward, "decoder_feed_forward", "parameters", "All layers together.");
    v(&T::norms, "norms", "parameters", "Gains and biases of all normalisations.");
    v(&T::other, "other", "parameters", "What belongs to none of these.");
  }
};

/// The attention of one place in one layer, as resolved.
struct AttentionReport {
  std::string place, kind, path;
  std::int64_t layer = 1, num_heads = 0, d_k = 0, d_v = 0;
  double scale = kUnknown, attention_dropout = 0;
  std::string attention_dropout_kind;
  double out_init_gain = 1;
  bool output_projection = true;
  std::int64_t num_params = 0;

  template <class V>
  static void fields(V& v) {
    using T = AttentionReport;
    v(&T::place, "place", "", "`encoder_self`, `decoder_self` or `cross`.");
    v(&T::layer, "layer", "", "Layer of the encoder or decoder, from 1.");
    v(&T::kind, "kind", "", "Which attention.");
    v(&T::path, "path", "",
      "How it was computed: `packed`, the kind's own form for packed rows; `fused`, LibTorch's kernels on "
      "CUDA, or `padded`, the form that every kind has. "
      "Speed and memory of runs with different paths cannot be compared.");
    v(&T::num_heads, "num_heads", "heads", "Number of heads h.");
    v(&T::d_k, "d_k", "per head", "Width of queries and keys.");
    v(&T::d_v, "d_v", "per head", "Width of values.");
    v(&T::scale, "scale", "", "What the scores are multiplied by.");
    v(&T::attention_dropout, "attention_dropout", "probability", "Dropout on the attention weights.");
    v(&T::attention_dropout_kind, "attention_dropout_kind", "", "`element` or `row`.");
    v(&T::out_init_gain, "out_init_gain", "", "W_O starts at Xavier-uniform times this.");
    v(&T::output_projection, "output_projection", "", "Whether there is a W_O.");
    v(&T::num_params, "num_params", "parameters", "Of this block.");
  }
};

}  // namespace mha
