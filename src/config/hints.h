#pragma once

#include <string>
#include <vector>

namespace mha {

/// What an unknown key of a section may have been meant to be, as words to append to a message ("did you mean
/// d_model?", "it belongs to model"), or empty. `keys`: those of the section.
std::string hint_for_key(const std::string& section, const std::string& key, const std::vector<std::string>& keys);

/// "did you mean X?" for a misspelt word of a few, or empty.
std::string hint_for_word(const std::string& word, const std::vector<std::string>& words);

}  // namespace mha
