#pragma once

#include "analysis/sweep_results.h"
#include "analysis/table.h"

namespace mha {

/// A row a cell, as people read it.
Table sweep_table(const SweepResults& results);
/// The same with every figure of CellResult in a column of its own, for machines.
Table flat_sweep_table(const SweepResults& results);
/// A row a phenomenon, a column a cell: accuracy, in percent in the texts. No rows if no run has such figures.
Table phenomena_table(const SweepResults& results);
/// A row for every run that came to nothing, with the reason; those of a cell that came to the same together. Runs that
/// wait or go on are not among them.
Table unfinished_table(const SweepResults& results);

}  // namespace mha
