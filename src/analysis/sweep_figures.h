#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/cell_result.h"

// The figures of a cell as people read them; "-" for what is not known.

namespace mha {

std::string fixed_text(double value, int digits);
/// "12,346"
std::string rounded_text(double value);
std::string count_text(const std::optional<std::int64_t>& value);
/// "1.23M": millions of floating-point operations with three digits or more.
std::string flops_text(double flops);
/// "38.21 BLEU (3 seeds, sd 0.40)"
std::string bleu_text(const CellResult& cell);
/// A p-value with three decimals, "<0.001" below.
std::string p_text(double p);
/// "out of memory"
std::string words_of(SweepRunStatus status);
/// "1 seed", "3 seeds"
std::string counted(std::int64_t n, const std::string& one);
/// The text of a key, "?" if the object has none.
std::string text_at(const json& object, const char* key);
/// "8", "0.1", "generic": the value of an axis as it was written.
std::string axis_text(const json& value);

}  // namespace mha
