#pragma once

#include <array>

#include "config/fields.h"

namespace mha {

enum class NormPlace { pre, post };
constexpr std::array<std::string_view, 2> enum_names(NormPlace) { return {"pre", "post"}; }
enum class NormKind { layernorm, rmsnorm };
constexpr std::array<std::string_view, 2> enum_names(NormKind) { return {"layernorm", "rmsnorm"}; }
enum class Activation { relu, gelu, swiglu };
constexpr std::array<std::string_view, 3> enum_names(Activation) { return {"relu", "gelu", "swiglu"}; }
enum class Positions { sinusoidal, learned };
constexpr std::array<std::string_view, 2> enum_names(Positions) { return {"sinusoidal", "learned"}; }

struct ModelConfig {
  std::int64_t encoder_layers = 6, decoder_layers = 6, d_model = 512, d_ff = 2048;
  double dropout = 0.1, activation_dropout = 0.0;
  NormPlace norm = NormPlace::pre;
  NormKind norm_kind = NormKind::layernorm;
  double norm_eps = 1e-5;
  Activation activation = Activation::relu;
  Positions positions = Positions::sinusoidal;
  std::int64_t max_positions = 1024;
  bool share_all_embeddings = false, share_decoder_input_output_embed = true, bias = true, embedding_norm = false;

  template <class V>
  static void fields(V& v) {
    v(&ModelConfig::encoder_layers, "encoder_layers", range(1, 64), "Number of encoder layers.");
    v(&ModelConfig::decoder_layers, "decoder_layers", range(1, 64), "Number of decoder layers.");
    v(&ModelConfig::d_model, "d_model", range(1, 16384), "Width of the residual stream.");
    v(&ModelConfig::d_ff, "d_ff", range(1, 65536), "Inner width of the feed-forward blocks.");
    v(&ModelConfig::dropout, "dropout", below_one(), "Dropout on embeddings and on every sub-layer's output.");
    v(&ModelConfig::activation_dropout, "activation_dropout", below_one(),
      "Dropout inside the feed-forward blocks, after the activation.");
    v(&ModelConfig::norm, "norm", any(),
      "`pre`: normalise the input of each sub-layer, and once more at the end of each stack; `post`: normalise after "
      "each residual sum.");
    v(&ModelConfig::norm_kind, "norm_kind", any(),
      "`layernorm`, or `rmsnorm`: no mean taken off, no bias (Zhang and Sennrich, 2019).");
    v(&ModelConfig::norm_eps, "norm_eps", at_least(1e-30), "Added to the variance before the square root.");
    v(&ModelConfig::activation, "activation", any(),
      "Feed-forward: `relu`, `gelu` (exact), or `swiglu` (Shazeer, 2020; a third matrix of width d_ff).");
    v(&ModelConfig::positions, "positions", any(), "`sinusoidal` (Vaswani et al., 2017) or `learned`.");
    v(&ModelConfig::max_positions, "max_positions", at_least(2),
      "Longest sequence, EOS counted, that the model can read or write.");
    v(&ModelConfig::share_all_embeddings, "share_all_embeddings", any(),
      "One matrix for source, target and output; needs a joint vocabulary.");
    v(&ModelConfig::share_decoder_input_output_embed, "share_decoder_input_output_embed", any(),
      "One matrix for target and output.");
    v(&ModelConfig::bias, "bias", any(), "Biases in the linear maps of the feed-forward blocks and the attention.");
    v(&ModelConfig::embedding_norm, "embedding_norm", any(), "Normalise the embeddings before the first layer.");
  }
  bool operator==(const ModelConfig&) const = default;
};

enum class AttnDropoutKind { element, row };
constexpr std::array<std::string_view, 2> enum_names(AttnDropoutKind) { return {"element", "row"}; }

enum class AttnPath { automatic, generic };
constexpr std::array<std::string_view, 2> enum_names(AttnPath) { return {"auto", "generic"}; }

/// One attention place. See AttentionConfig for how places and layers override it.
struct AttentionSettings {
  std::string kind = "scaled_dot";
  std::int64_t num_heads = 8;
  std::optional<ValueOrWord<std::int64_t>> d_k;
  std::optional<std::int64_t> d_v;
  ValueOrWord<double> scale = ValueOrWord<double>::of_word("sqrt_dk");
  double attention_dropout = 0.0;
  AttnDropoutKind attention_dropout_kind = AttnDropoutKind::element;
  double out_init_gain = 1.0;
  bool output_projection = true;
  AttnPath path = AttnPath::automatic;

  template <class V>
  static void fields(V& v) {
    v(&AttentionSettings::kind, "kind", any(), "Which attention: a name from `mha-train config kinds`.");
    v(&AttentionSettings::num_heads, "num_heads", range(1, 1024), "Number of heads h.");
    v(&AttentionSettings::d_k, "d_k", or_words(range(1, 16384), {"ceil"}),
      "Width of a head's queries and keys. Absent: d_model / num_heads, which must then be whole. \"ceil\": d_model / "
      "num_heads rounded up.");
    v(&AttentionSettings::d_v, "d_v", range(1, 16384), "Width of a head's values. Absent: as d_k.");
    v(&AttentionSettings::scale, "scale", or_words(positive(), {"sqrt_dk", "none"}),
      "What scores are multiplied by: \"sqrt_dk\": 1/sqrt(d_k); \"none\": 1; or a number.");
    v(&AttentionSettings::attention_dropout, "attention_dropout", below_one(), "Dropout on the attention weights.");
    v(&AttentionSettings::attention_dropout_kind, "attention_dropout_kind", any(),
      "`element`: single weights, after the softmax; `row`: all weights of one query in one head at once.");
    v(&AttentionSettings::out_init_gain, "out_init_gain", positive(), "W_O starts at Xavier-uniform times this.");
    v(&AttentionSettings::output_projection, "output_projection", any(),
      "Whether there is a W_O. Without it the concatenated heads are the output, so num_heads * d_v must be d_model.");
    v(&AttentionSettings::path, "path", any(),
      "`auto`: a kind's own form for packed rows where it has one; `generic`: always the padded form that every kind "
      "has. The results are the same but for rounding.");
  }
  bool operator==(const AttentionSettings&) const = default;
};

enum class AttnPlace { encoder_self, decoder_self, cross };
constexpr std::array<std::string_view, 3> enum_names(AttnPlace) { return {"encoder_self", "decoder_self", "cross"}; }

struct AttentionConfig : AttentionSettings {
  Override<AttentionSettings> encoder_self, decoder_self, cross;

  template <class V>
  static void fields(V& v) {
    AttentionSettings::fields(v);
    v(&AttentionConfig::encoder_self, "encoder_self", any(),
      "Settings for encoder self-attention that differ from `attention`; `layers` in it: per layer.");
    v(&AttentionConfig::decoder_self, "decoder_self", any(), "The same for decoder self-attention.");
    v(&AttentionConfig::cross, "cross", any(), "The same for attention from the decoder to the encoder.");
  }
  bool operator==(const AttentionConfig&) const = default;
};

/// The settings of one place: `attention`, then the place's override, then that of the layer (from 1).
AttentionSettings attention_settings(const AttentionConfig& config, AttnPlace place, std::int64_t layer);

/// Head dimensions with defaults filled in; heads * d_k need not equal d_model.
struct HeadDims {
  std::int64_t d_model = 0, heads = 0, d_k = 0, d_v = 0;
  bool operator==(const HeadDims&) const = default;
};
/// Throws UserError naming d_model and num_heads if d_k is absent and num_heads does not divide d_model.
HeadDims head_dims(const AttentionSettings& settings, std::int64_t d_model);

/// What the scores are multiplied by.
double score_scale(const AttentionSettings& settings, std::int64_t d_k);

}  // namespace mha
