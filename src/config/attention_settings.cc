#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "config/model_config.h"
#include "config/reader.h"

namespace mha {
namespace {

/// The divisors of d_model, which are the numbers of heads that need no d_k; the first few and the last.
std::string divisors(std::int64_t d_model) {
  constexpr std::size_t most = 12;
  std::vector<std::string> found;
  for (std::int64_t n = 1; n <= d_model && found.size() < most; ++n) {
    if (d_model % n == 0) found.push_back(std::to_string(n));
  }
  return join(found, ", ") + (found.size() == most ? ", …" : "");
}

std::int64_t rounded_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

AttentionSettings attention_settings(const AttentionConfig& config, AttnPlace place, std::int64_t layer) {
  AttentionSettings settings = config;
  const json& patch = place == AttnPlace::encoder_self   ? config.encoder_self.patch
                      : place == AttnPlace::decoder_self ? config.decoder_self.patch
                                                         : config.cross.patch;
  const std::string path = "attention." + to_string(place);
  const Layers no_layers;
  Problems problems;
  ProblemList list(no_layers, problems);
  read_section(patch, path, list, settings, "layers");
  const std::string number = std::to_string(layer);
  if (patch.contains("layers") && patch["layers"].contains(number)) {
    read_section(patch["layers"][number], path + ".layers." + number, list, settings);
  }
  throw_problems(problems, path);
  return settings;
}

HeadDims head_dims(const AttentionSettings& settings, std::int64_t d_model) {
  const std::int64_t heads = settings.num_heads;
  HeadDims dims{.d_model = d_model, .heads = heads, .d_k = 0, .d_v = 0};
  if (settings.d_k && !settings.d_k->is_word()) {
    dims.d_k = settings.d_k->value;
  } else if (settings.d_k || d_model % heads == 0) {
    dims.d_k = rounded_up(d_model, heads);
  } else {
    throw UserError("d_model " + std::to_string(d_model) + " cannot be divided by num_heads " + std::to_string(heads) +
                    "; set d_k to a number or to \"ceil\" (" + std::to_string(rounded_up(d_model, heads)) +
                    "), or num_heads to one of " + divisors(d_model));
  }
  dims.d_v = settings.d_v.value_or(dims.d_k);
  return dims;
}

double score_scale(const AttentionSettings& settings, std::int64_t d_k) {
  if (!settings.scale.is_word()) return settings.scale.value;
  return settings.scale.word == "none" ? 1.0 : 1.0 / std::sqrt(static_cast<double>(d_k));
}

}  // namespace mha
