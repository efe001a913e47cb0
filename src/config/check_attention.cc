#include <set>

#include "base/error.h"
#include "config/check.h"
#include "config/hints.h"
#include "config/reader.h"

namespace mha {
namespace {

/// Checks the attention of one place and layer, and blames the innermost section that sets the key in question.
class PlaceChecker {
 public:
  PlaceChecker(const RunConfig& config, AttnPlace place, std::int64_t layer, Checker& check)
      : config_(config),
        path_("attention." + to_string(place)),
        layer_(std::to_string(layer)),
        check_(check),
        patch_(place == AttnPlace::encoder_self   ? config.attention.encoder_self.patch
               : place == AttnPlace::decoder_self ? config.attention.decoder_self.patch
                                                  : config.attention.cross.patch),
        settings_(attention_settings(config.attention, place, layer)) {}

  void run(const std::vector<std::string>& kinds, std::set<std::string>& seen) const {
    const bool known = std::ranges::find(kinds, settings_.kind) != kinds.end();
    report(seen, known, "kind",
           "there is no attention kind \"" + settings_.kind + "\"; `mha-train config kinds` lists them",
           known ? "" : hint_for_word(settings_.kind, kinds));
    try {
      const HeadDims dims = head_dims(settings_, config_.model.d_model);
      const std::int64_t width = dims.heads * dims.d_v;
      report(seen, settings_.output_projection || width == dims.d_model, "output_projection",
             "false needs num_heads * d_v to be d_model, but " + std::to_string(dims.heads) + " * " +
                 std::to_string(dims.d_v) + " is " + std::to_string(width) + " and d_model is " +
                 std::to_string(dims.d_model));
    } catch (const UserError& error) {
      report(seen, false, "num_heads", error.what());
    }
  }

 private:
  void report(std::set<std::string>& seen, bool holds, const std::string& key, const std::string& message,
              const std::string& suggestion = "") const {
    const std::string path = setter(key) + "." + key;
    // The same key is blamed once, however many layers share it.
    if (!holds && seen.insert(path + message).second) check_.require(false, path, message, suggestion);
  }

  std::string setter(const std::string& key) const {
    if (patch_.contains("layers") && patch_["layers"].contains(layer_) && patch_["layers"][layer_].contains(key)) {
      return path_ + ".layers." + layer_;
    }
    return patch_.contains(key) ? path_ : "attention";
  }

  const RunConfig& config_;
  std::string path_, layer_;
  Checker& check_;
  const json& patch_;
  AttentionSettings settings_;
};

void check_layer_numbers(const json& patch, const std::string& path, std::int64_t layers, Checker& check) {
  if (!patch.contains("layers")) return;
  for (const auto& [number, unused] : patch["layers"].items()) {
    check.require(layer_number(number) >= 1 && layer_number(number) <= layers, path + ".layers." + number,
                  "there is no such layer: the model has " + std::to_string(layers) + " there");
  }
}

}  // namespace

void check_attention(const RunConfig& config, const std::vector<std::string>& kinds, Checker& check) {
  std::set<std::string> seen;
  const auto check_place = [&](AttnPlace place, const json& patch, std::int64_t layers) {
    check_layer_numbers(patch, "attention." + to_string(place), layers, check);
    for (std::int64_t layer = 1; layer <= layers; ++layer) PlaceChecker(config, place, layer, check).run(kinds, seen);
  };
  check_place(AttnPlace::encoder_self, config.attention.encoder_self.patch, config.model.encoder_layers);
  check_place(AttnPlace::decoder_self, config.attention.decoder_self.patch, config.model.decoder_layers);
  check_place(AttnPlace::cross, config.attention.cross.patch, config.model.decoder_layers);
}

}  // namespace mha
