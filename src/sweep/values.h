#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace mha {

/// Cuts at commas outside of brackets and quotes of what begins with one; spaces around the parts are dropped.
/// UserError beginning with `where` for an empty part.
std::vector<std::string> split_values(std::string_view text, const std::string& where);

/// "1,2,16..64+16": values and ranges. 1..8 counts, 16..64+16 adds, 1..32*2 multiplies; the end belongs to a range if
/// it is reached. A value is JSON if it reads as such, else text. UserError beginning with `where`.
std::vector<json> parse_values(const std::string& text, const std::string& where);

/// Whole numbers as integers, so that 4 and 4.0 are one value.
json with_whole_numbers(const json& value);

}  // namespace mha
