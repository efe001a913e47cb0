#pragma once

#include <filesystem>
#include <string>

#include "analysis/sweep_comparison.h"
#include "analysis/sweep_results.h"
#include "analysis/table.h"

namespace mha {

struct PageOptions {
  TableFormat format = TableFormat::text;
  bool like_table3 = false;
  bool phenomena = false;
};

/// A sweep's results as one document that can stand alone: what was swept, the head line, the table, the runs that came
/// to nothing, and what the figures count. CSV is one table alone: of phenomena if these are asked for, which is a
/// UserError together with like_table3. JSON holds all whatever is asked for, the rows of like_table3 on top.
/// Fronts and comparison must have been filled in (mark_fronts, compare_with_baseline).
std::string sweep_page(const SweepResults& results, const SweepComparison& comparison, const PageOptions& options);

/// The page of what a sweep's folder holds now. UserError as collect_sweep throws it, or above.
std::string sweep_page(const std::filesystem::path& folder, const PageOptions& options);

}  // namespace mha
