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

/// Gives `config` the d_k with which h * d_k is what the base has, as the plan does (docs/sweeps.md); makes it null
/// where the plan would refuse the cell.
void hold_budget(const json& base, json& config) {
  const json &base_d_k = base["attention"]["d_k"], heads = config["attention"]["num_heads"];
  const bool rounded_up = base_d_k.is_string(), given = base_d_k.is_number_integer();
  const std::int64_t budget = given ? base["attention"]["num_heads"].get<std::int64_t>() * base_d_k.get<std::int64_t>()
                                    : base["model"]["d_model"].get<std::int64_t>();
  const std::int64_t h = heads.is_number_integer() ? heads.get<std::int64_t>() : 0;
  if (h < 1 || (budget % h != 0 && !rounded_up)) {
    config = nullptr;
  } else {
    config["attention"]["d_k"] = (budget + h - 1) / h;
  }
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
