#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/run_folder.h"
#include "report/sweep_file.h"
#include "sweep/claims.h"
#include "sweep/launcher.h"
#include "sweep/plan.h"

namespace mha {

/// Part `index` of `count`, from 1: of the plan's runs every count-th.
struct Shard {
  std::int64_t index = 1, count = 1;
};
/// "2/8". UserError for anything else.
Shard parse_shard(const std::string& text);

/// What a plan and an earlier sweep.json make together: runs that were there keep what became of them, new ones join,
/// those that are not planned any more stay if they are done and are else excluded. UserError listing the keys if the
/// base configuration has changed.
SweepFile merge_plan(const SweepPlan& plan, const std::optional<SweepFile>& before);

/// The folder of a sweep: sweep.json, configs/, logs/, runs/, lock. Several processes may work in it at once, each on
/// runs of its own. sweep.json is written whole at every change of state; what a run folder's report says goes before
/// it, so that nothing is lost if this process is killed between the two.
class Journal {
 public:
  struct Options {
    Shard shard;
    bool retry_failed = false;
  };
  /// Makes or opens the folder, claims the runs of the shard and finds out how they stand. UserError if the folder
  /// holds a sweep of another base configuration or another process drives one of the runs.
  Journal(const std::filesystem::path& root, const SweepPlan& plan, const Options& options);

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path file() const { return root_ / "sweep.json"; }
  /// As last read or written: those of other processes may be older than what the file says.
  const SweepFile& sweep() const { return sweep_; }
  const SweepRun& run(std::size_t index) const { return sweep_.runs[index]; }
  /// Indices of this process's runs, in the order of the plan.
  const std::vector<std::size_t>& mine() const { return mine_; }
  /// Those of them that are still to be trained: pending or interrupted.
  std::vector<std::size_t> open_runs() const;
  /// The resolved configuration of one of them.
  const json& config(std::size_t index) const;
  RunFolder folder(std::size_t index) const { return RunFolder(root_ / run(index).run_dir); }

  /// Puts down what has become of a run of this process.
  void update(std::size_t index, const SweepRun& run);
  /// A start of the run, once its configuration is written where the job finds it.
  Job job(std::size_t index);

 private:
  void find_out(std::size_t index, bool retry_failed);
  std::filesystem::path root_;
  SweepFile sweep_;
  std::vector<std::size_t> mine_;
  std::vector<json> configs_;  // by index; null where the plan has none
  std::unique_ptr<RunClaims> claims_;
};

}  // namespace mha
