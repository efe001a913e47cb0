#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace mha {

/// Adds problems while the rules are gone through; check_config has no origins, load_config fills them in.
class Checker {
 public:
  explicit Checker(Problems& problems) : problems_(problems) {}
  void require(bool holds, const std::string& path, const std::string& message, const std::string& suggestion = "") {
    if (!holds) problems_.push_back({path, message, "", suggestion});
  }

 private:
  Problems& problems_;
};

void check_attention(const RunConfig& config, const std::vector<std::string>& kinds, Checker& check);

}  // namespace mha
