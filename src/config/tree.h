#pragma once

#include <string>
#include <vector>

#include "config/fields.h"

namespace mha {

/// A key of the configuration, told at run time: what documentation, schema and hints need of a table's row.
struct KeyInfo {
  std::string key, doc;
  std::string words;           // which values it takes; empty for sections
  json default_value, schema;  // of keys that are not sections
  std::vector<KeyInfo> keys;   // of a section; of an Override: of the settings it overrides
  bool is_override = false;
  bool is_section() const { return !keys.empty(); }
};

/// The whole configuration: the rows of FileConfig and, within them, of its sections.
const std::vector<KeyInfo>& config_tree();

}  // namespace mha
