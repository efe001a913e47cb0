#include "sweep/sweep_list.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "sweep/outcome.h"
#include "sweep/status.h"

namespace mha {

std::string sweep_list(const SweepFile& sweep, const std::filesystem::path& root) {
  using Row = std::array<std::string, 4>;
  std::vector<Row> rows;
  for (const SweepRun& run : sweep.runs) {
    const bool done = run.status == SweepRunStatus::done;
    rows.push_back({to_string(run.status), run.cell, "seed " + std::to_string(run.seed),
                    done ? result_of(judge_folder(RunFolder(root / run.run_dir))) : run.reason});
  }
  std::array<std::size_t, 3> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) out += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    out += row.back().substr(0, row.back().find('\n')) + "\n";
  }
  return out;
}

}  // namespace mha
