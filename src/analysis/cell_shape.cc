#include "analysis/cell_shape.h"

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "config/config.h"
#include "config/short_names.h"

namespace mha {
namespace {

/// What all have in common, if they do.
std::optional<std::int64_t> common(const std::vector<HeadDims>& blocks, std::int64_t HeadDims::*member) {
  const bool same = std::ranges::all_of(blocks, [&](const HeadDims& b) { return b.*member == blocks[0].*member; });
  return same ? std::optional(blocks[0].*member) : std::nullopt;
}

std::vector<HeadDims> attention_blocks(const RunConfig& config) {
  std::vector<HeadDims> blocks;
  const auto add = [&](AttnPlace place, std::int64_t layers) {
    for (std::int64_t layer = 1; layer <= layers; ++layer)
      blocks.push_back(head_dims(attention_settings(config.attention, place, layer), config.model.d_model));
  };
  add(AttnPlace::encoder_self, config.model.encoder_layers);
  add(AttnPlace::decoder_self, config.model.decoder_layers);
  add(AttnPlace::cross, config.model.decoder_layers);
  return blocks;
}

void set_path(json& object, const std::string& path, const json& value) {
  json* at = &object;
  for (const std::string& key : split(path, '.')) {
    if (!at->is_object()) return;  // no such place in the base: the point has a name of its own
    at = &(*at)[key];
  }
  *at = value;
}

}  // namespace

std::optional<CellShape> shape_of(const json& config) {
  if (!config.is_object()) return std::nullopt;
  try {
    const RunConfig read = config_from_json(config, "the configuration");
    const std::vector<HeadDims> blocks = attention_blocks(read);
    CellShape shape;
    shape.encoder_layers = read.model.encoder_layers;
    shape.decoder_layers = read.model.decoder_layers;
    shape.d_model = read.model.d_model;
    shape.d_ff = read.model.d_ff;
    shape.num_heads = common(blocks, &HeadDims::heads);
    shape.d_k = common(blocks, &HeadDims::d_k);
    shape.d_v = common(blocks, &HeadDims::d_v);
    if (shape.num_heads && shape.d_k) shape.heads_times_d_k = *shape.num_heads * *shape.d_k;
    shape.dropout = read.model.dropout;
    shape.label_smoothing = read.train.label_smoothing;
    return shape;
  } catch (const UserError&) {
    return std::nullopt;
  }
}

namespace {

/// Gives `config` the d_k with which h * d_k is that of the base, rounded up.
void hold_budget(const json& base, json& config) {
  const std::optional<CellShape> of_base = shape_of(base);
  json& attention = config["attention"];
  if (!of_base || !of_base->heads_times_d_k || !attention["num_heads"].is_number_integer()) return;
  const auto heads = attention["num_heads"].get<std::int64_t>();
  if (heads > 0) attention["d_k"] = (*of_base->heads_times_d_k + heads - 1) / heads;
}

}  // namespace

json planned_config(const std::filesystem::path& folder, const SweepFile& sweep, const SweepRun& run) {
  const std::filesystem::path written = folder / "configs" / (run.id + ".json");
  try {
    if (std::filesystem::is_regular_file(written)) return read_json(written);
  } catch (const UserError&) {
    // Damaged: what the plan tells is all there is.
  }
  if (sweep.hold == to_string(Hold::params) || sweep.hold == to_string(Hold::flops)) return nullptr;
  json config = sweep.base;
  for (const auto& [axis, value] : run.point.items()) set_path(config, axis_path(axis), value);
  if (sweep.hold == to_string(Hold::budget)) hold_budget(sweep.base, config);
  return config;
}

}  // namespace mha
