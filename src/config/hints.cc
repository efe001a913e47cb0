#include "config/hints.h"

#include <algorithm>

#include "base/text.h"
#include "config/layers.h"
#include "config/tree.h"

namespace mha {
namespace {

struct Place {
  std::string section, key;
};

void collect(const std::vector<KeyInfo>& keys, const std::string& section, std::vector<Place>& places) {
  for (const KeyInfo& info : keys) {
    places.push_back({section, info.key});
    const std::string inner = join_path(section, info.key);
    if (info.is_override) {
      places.push_back({inner, "layers"});  // its other keys have their home in the section around it
    } else {
      collect(info.keys, inner, places);
    }
  }
}

const std::vector<Place>& all_places() {
  static const std::vector<Place> places = [] {
    std::vector<Place> found = {{"", "extends"}};
    collect(config_tree(), "", found);
    return found;
  }();
  return places;
}

/// Short names that people use for a part of the full one: heads for num_heads, warmup for warmup_updates.
std::string with_part(const std::string& part, const std::vector<std::string>& keys) {
  const auto has_part = [&](const std::string& key) {
    const auto parts = split(key, '_');
    return std::ranges::find(parts, part) != parts.end();
  };
  const auto found = std::ranges::find_if(keys, has_part);
  return found == keys.end() ? "" : *found;
}

}  // namespace

std::string hint_for_word(const std::string& word, const std::vector<std::string>& words) {
  const std::string near = nearest(word, words);
  return near.empty() ? "" : "did you mean \"" + near + "\"?";
}

std::string hint_for_key(const std::string& section, const std::string& key, const std::vector<std::string>& keys) {
  std::vector<std::string> homes;
  std::vector<std::string> keys_elsewhere;
  for (const Place& place : all_places()) {
    if (place.section == section) continue;
    keys_elsewhere.push_back(place.key);
    if (place.key == key) homes.push_back(place.section.empty() ? "the top level" : place.section);
  }
  const auto did_you_mean = [](const std::string& name) { return "did you mean " + name + "?"; };
  const auto elsewhere = [&](const std::string& name) {
    const auto home =
        std::ranges::find_if(all_places(), [&](const Place& p) { return p.key == name && p.section != section; });
    return did_you_mean(join_path(home->section, home->key));
  };
  const std::string near = nearest(key, keys);
  // A slip of one letter in this section is likelier than a key of another section; two letters are not.
  if (!near.empty() && edit_distance(key, near) <= 1) return did_you_mean(near);
  if (!homes.empty()) return key + " belongs to " + join(homes, " or ");
  if (const std::string name = with_part(key, keys); !name.empty()) return did_you_mean(name);
  if (const std::string name = with_part(key, keys_elsewhere); !name.empty()) return elsewhere(name);
  if (!near.empty()) return did_you_mean(near);
  if (const std::string name = nearest(key, keys_elsewhere); !name.empty()) return elsewhere(name);
  return "";
}

}  // namespace mha
