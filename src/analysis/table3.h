#pragma once

#include <string>
#include <vector>

#include "analysis/sweep_results.h"
#include "analysis/table.h"

namespace mha {

/// The sweep in the shape of Table 3, rows (A) and (B), of "Attention Is All You Need" (Vaswani et al., 2017): the
/// baseline first; (A) cells that divide the same h*d_k among other numbers of heads, (B) cells in which only the
/// heads' width differs, then all others. In the texts, what equals the baseline is left blank. Cells without a valid
/// configuration have no row.
Table table3(const SweepResults& results);

/// What PPL and BLEU of that table are, a line each.
std::vector<std::string> table3_notes(const SweepResults& results);

}  // namespace mha
