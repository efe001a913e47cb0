#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/json.h"

namespace mha {

/// A key of the configuration that does not change the result of a run.
struct NeutralKey {
  std::string_view path, why;
};
/// Left out of a run's identity: two configurations that differ in these only belong to the same run.
std::span<const NeutralKey> neutral_keys();

/// A resolved configuration without the neutral keys.
json run_identity(const json& resolved);
/// SHA-256 of run_identity.
std::string config_hash(const json& resolved);
/// "optimizer.lr: 0.005 there, 0.004 now" for each key in which the identities of two resolved configurations differ.
std::vector<std::string> config_differences(const json& there, const json& now);
/// runs/NAME-HASH with the first 8 digits of config_hash.
std::filesystem::path default_run_dir(const std::string& name, const json& resolved);

enum class RunState {
  fresh,      // no checkpoint yet: start from the beginning
  half_done,  // has a checkpoint and no report of a completed run: resume
  finished    // report.json says completed
};

/// The paths in a run folder. Touches nothing.
class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path root) : root_(std::move(root)) {}
  const std::filesystem::path& root() const { return root_; }
  /// The configuration as resolved.
  std::filesystem::path config() const { return root_ / "config.json"; }
  std::filesystem::path source_vocabulary() const { return root_ / "vocab.source.model"; }
  std::filesystem::path target_vocabulary() const { return root_ / "vocab.target.model"; }
  std::filesystem::path joint_vocabulary() const { return root_ / "vocab.joint.model"; }
  std::filesystem::path events() const { return root_ / "events.jsonl"; }
  std::filesystem::path report() const { return root_ / "report.json"; }
  std::filesystem::path checkpoints() const { return root_ / "checkpoints"; }
  std::filesystem::path hypotheses() const { return root_ / "hypotheses"; }
  std::filesystem::path lock() const { return root_ / "lock"; }

  /// What a start of training would find. UserError if report.json is damaged or a folder cannot be read.
  RunState state() const;
  /// UserError listing the keys that differ, with both values, if the folder was made by a configuration of another
  /// identity. Does nothing for a folder without a configuration.
  void check_same_run(const json& resolved) const;

 private:
  std::filesystem::path root_;
};

/// The run folder of a process that trains: made if it is not there, locked while the object lives, with config.json.
class OpenRunFolder : public RunFolder {
 public:
  /// UserError if another process uses the folder, if it holds files that are not of a run, or if a run of another
  /// configuration got to a checkpoint in it. A finished run is left as it is; of another one, files that a killed
  /// process was writing are removed. `wait`: for the other process instead of failing; what it left is then judged.
  OpenRunFolder(const std::filesystem::path& root, const json& resolved, bool wait = false);
  RunState state_at_open() const { return state_; }

 private:
  std::unique_ptr<FileLock> lock_;
  RunState state_ = RunState::fresh;
};

/// The report in a run folder, or the file itself. UserError if the folder has none.
std::filesystem::path find_report(const std::filesystem::path& given);

/// "runs/x is finished …: nothing was changed", for a run that is started again.
std::string finished_message(const RunFolder& folder);

}  // namespace mha
