#include "sweep/places.h"

#include <algorithm>

#include "base/error.h"

namespace mha {
namespace {

void check_place(const Point& point, const Setting& setting, const std::string& path, const json& settings,
                 const LoadedConfig& base) {
  const std::string key = setting.path.substr(setting.path.rfind('.') + 1);
  if (!settings.contains(key) || point.find(path + "." + key) != nullptr) return;
  const std::string own = path + "." + key;
  const auto origin = std::ranges::find(base.origins, own, [](const auto& entry) { return entry.first; });
  throw UserError(setting.name + " is meant for every attention place, but " + own + " is set to " +
                  value_text(settings[key]) +
                  (origin == base.origins.end() ? std::string() : " (" + origin->second + ")") +
                  " and would stay so; take that out, or vary " + own + " as well");
}

}  // namespace

void check_every_place(const Point& point, const LoadedConfig& base) {
  const json& attention = base.resolved["attention"];
  for (const Setting& setting : point.settings) {
    const bool is_general = setting.path.starts_with("attention.") && setting.path.rfind('.') == setting.path.find('.');
    if (!is_general || setting.value.is_object()) continue;
    for (const std::string_view name : enum_names(AttnPlace{})) {
      const json& place = attention[std::string(name)];
      const std::string path = "attention." + std::string(name);
      check_place(point, setting, path, place, base);
      const json layers = place.value("layers", json::object());
      for (const auto& [layer, settings] : layers.items()) {
        check_place(point, setting, path + ".layers." + layer, settings, base);
      }
    }
  }
}

}  // namespace mha
