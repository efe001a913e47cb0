#pragma once

#include <cstdint>

#include "config/config.h"
#include "cost/run_shape.h"

namespace mha {

/// Parameters of the attention at one place, all layers together.
struct AttentionParameters {
  std::int64_t w_q = 0, w_k = 0, w_v = 0, w_o = 0, biases = 0;

  template <class V>
  static void fields(V& v) {
    using T = AttentionParameters;
    v(&T::w_q, "w_q");
    v(&T::w_k, "w_k");
    v(&T::w_v, "w_v");
    v(&T::w_o, "w_o");
    v(&T::biases, "biases");
  }
};

/// Trained parameters by part; a matrix that is used twice counts once, where it comes first.
struct ParameterCount {
  std::int64_t embeddings = 0, positions = 0, output = 0;
  AttentionParameters encoder_self_attention, decoder_self_attention, cross_attention;
  std::int64_t encoder_feed_forward = 0, decoder_feed_forward = 0, norms = 0;

  template <class V>
  static void fields(V& v) {
    using T = ParameterCount;
    v(&T::embeddings, "embeddings");
    v(&T::positions, "positions");
    v(&T::output, "output");
    v(&T::encoder_self_attention, "encoder_self_attention");
    v(&T::decoder_self_attention, "decoder_self_attention");
    v(&T::cross_attention, "cross_attention");
    v(&T::encoder_feed_forward, "encoder_feed_forward");
    v(&T::decoder_feed_forward, "decoder_feed_forward");
    v(&T::norms, "norms");
  }
};

std::int64_t total(const AttentionParameters& parameters);
std::int64_t total(const ParameterCount& parameters);

/// What model/transformer.cc makes of a configuration. Parameters that an attention kind adds of its own are not known
/// here.
ParameterCount count_parameters(const RunConfig& config, const RunShape& shape);
std::int64_t parameter_count(const RunConfig& config, const RunShape& shape);

}  // namespace mha
