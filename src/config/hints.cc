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

/// Short names that people use for a part of the full one: heads for num_heads.
std::string containing(const std::string& name, const std::vector<std::string>& keys) {
  constexpr std::size_t shortest = 3;
  if (name.size() < shortest) return "";
  const auto found = std::ranges::find_if(keys, [&](const std::string& key) { return key.find(name) != std::string::npos; });
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
  const std::string here = nearest(key, keys);
  // A near miss of one letter in this section is likelier than a key of another section that has the very name.
  if (!here.empty() && (homes.empty() || edit_distance(key, here) <= 1)) return "did you mean " + here + "?";
  if (!homes.empty()) return key + " belongs to " + join(homes, " or ");
  if (const std::string longer = containing(key, keys); !longer.empty()) return "did you mean " + longer + "?";
  std::string elsewhere = containing(key, keys_elsewhere);
  if (elsewhere.empty()) elsewhere = nearest(key, keys_elsewhere);
  if (elsewhere.empty()) return "";
  const auto home = std::ranges::find_if(all_places(), [&](const Place& p) { return p.key == elsewhere && p.section != section; });
  return "did you mean " + join_path(home->section, home->key) + "?";
}

}  // namespace mha
