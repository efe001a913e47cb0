#pragma once

#include <string>

#include "analysis/comparison.h"

namespace mha {

/// JUnit XML: a test suite with a test case a metric; what is not gated or not comparable counts as skipped.
std::string comparison_junit(const Comparison& comparison);

/// Text as XML 1.0 content or attribute: markup escaped, white space kept, what XML cannot hold (control characters,
/// bytes that are no UTF-8) as U+FFFD.
std::string xml_escaped(const std::string& text);

}  // namespace mha
