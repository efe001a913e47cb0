#include "report/run_folder.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "report/run_report.h"

namespace mha {
namespace {

// The device is not here: it decides what `auto` resolves to and rounds differently, and speed and memory belong to it.
constexpr std::array<NeutralKey, 8> kNeutralKeys = {{
    {"name", "a label"},
    {"run_dir", "where the run lies"},
    {"threads", "changes speed; sums may round differently"},
    {"data.cache_dir", "holds what can be made again"},
    {"train.log_interval", "how often progress is written"},
    {"train.save_interval_updates", "how much is lost by a kill"},
    {"train.keep_last", "how many training states stay"},
    {"decode.max_tokens", "changes speed only"},
}};

void erase_path(json& object, std::string_view path) {
  const std::size_t dot = path.find('.');
  const std::string key(path.substr(0, dot));
  if (!object.is_object() || !object.contains(key)) return;
  if (dot == std::string_view::npos) {
    object.erase(key);
  } else {
    erase_path(object[key], path.substr(dot + 1));
  }
}

/// Keys in alphabetical order, so that the order in a file does not matter.
json sorted(const json& value) {
  if (!value.is_object()) return value;
  std::map<std::string, json> items;
  for (const auto& [key, item] : value.items()) items[key] = sorted(item);
  return items;
}

/// Leaves as "optimizer.lr" -> "0.005".
void flatten(const json& value, const std::string& path, std::map<std::string, std::string>& out) {
  if (!value.is_object() || value.empty()) {
    out[path] = dump_json(value, -1);
    return;
  }
  for (const auto& [key, item] : value.items()) flatten(item, path.empty() ? key : path + "." + key, out);
}

bool has_checkpoint(const std::filesystem::path& folder) {
  std::error_code ec;
  const std::filesystem::directory_iterator entries(folder, ec);
  // A folder that cannot be looked into may hold a training: it must not pass for an empty one.
  if (ec && ec != std::errc::no_such_file_or_directory) {
    throw UserError("cannot look into " + folder.string() + ": " + ec.message());
  }
  return std::ranges::any_of(entries, [](const auto& entry) { return entry.path().extension() == ".safetensors"; });
}

/// Whether the name ends as that of a file which a killed process was writing (AtomicFile): ".tmp4711".
bool is_left_over(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  return digits < name.size() && std::string_view(name).substr(0, digits).ends_with(".tmp");
}

void remove_left_overs(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (is_left_over(entry.path().filename().string())) std::filesystem::remove(entry.path(), ignored);
  }
}

/// Every run folder has a lock, made before all else. Files of the same names without one are not ours to replace.
/// Looked for in this order: a process that makes the folder just now makes the lock first.
void check_is_ours(const RunFolder& folder) {
  for (const auto& file : {folder.config(), folder.events(), folder.report(), folder.source_vocabulary(),
                           folder.target_vocabulary(), folder.joint_vocabulary()}) {
    if (!std::filesystem::exists(file) || std::filesystem::exists(folder.lock())) continue;
    throw UserError(folder.root().string() + " holds a " + file.filename().string() +
                    " but no file `lock`: it is no run folder, and training here would replace that; choose another "
                    "run_dir (or, for a copy of a run, make an empty file `lock` in it)");
  }
}

}  // namespace

std::span<const NeutralKey> neutral_keys() { return kNeutralKeys; }

json run_identity(const json& resolved) {
  json identity = resolved;
  for (const auto& key : kNeutralKeys) erase_path(identity, key.path);
  return sorted(identity);
}

std::string config_hash(const json& resolved) { return sha256_hex(dump_json(run_identity(resolved), -1)); }

std::vector<std::string> config_differences(const json& there, const json& now) {
  std::map<std::string, std::string> a, b;
  flatten(run_identity(there), "", a);
  flatten(run_identity(now), "", b);
  std::set<std::string> keys;
  for (const auto& [key, value] : a) keys.insert(key);
  for (const auto& [key, value] : b) keys.insert(key);
  const auto shown = [](const auto& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? std::string("absent") : found->second;
  };
  std::vector<std::string> out;
  for (const auto& key : keys) {
    const std::string was = shown(a, key), is = shown(b, key);
    if (was != is) out.push_back(key + ": " + was + " there, " + is + " now");
  }
  return out;
}

std::filesystem::path default_run_dir(const std::string& name, const json& resolved) {
  return std::filesystem::path("runs") / (name + "-" + config_hash(resolved).substr(0, 8));
}

RunState RunFolder::state() const {
  if (std::filesystem::exists(report()) && read_report(report()).status == RunStatus::completed)
    return RunState::finished;
  return has_checkpoint(checkpoints()) ? RunState::half_done : RunState::fresh;
}

void RunFolder::check_same_run(const json& resolved) const {
  if (!std::filesystem::exists(config())) return;
  const auto changed = config_differences(read_json(config()), resolved);
  if (changed.empty()) return;
  throw UserError(root_.string() + " belongs to a run with another configuration:\n  " + join(changed, "\n  ") +
                  "\nset these back, or choose another run_dir");
}

OpenRunFolder::OpenRunFolder(const std::filesystem::path& root, const json& resolved, bool wait) : RunFolder(root) {
  make_directories(root);
  check_is_ours(*this);
  const bool was_there = std::filesystem::exists(lock());
  const std::string busy = "another process uses " + root.string() + ": ";
  lock_ = wait ? std::make_unique<FileLock>(lock(), FileLock::Waiting{busy + "waiting until it has ended"})
               : std::make_unique<FileLock>(lock(), busy + "wait until it has ended, or choose another run_dir");
  state_ = state();
  // Without a checkpoint there is nothing to lose: a start that failed is made again with what put it right.
  if (state_ != RunState::fresh) check_same_run(resolved);
  if (state_ == RunState::finished) return;
  for (const auto& part : {root, checkpoints(), hypotheses()}) {
    if (was_there) remove_left_overs(part);
  }
  if (state_ == RunState::fresh || !std::filesystem::exists(config())) write_file(config(), dump_json(resolved) + "\n");
  make_directories(checkpoints());
  make_directories(hypotheses());
}

std::filesystem::path find_report(const std::filesystem::path& given) {
  if (!std::filesystem::is_directory(given)) return given;
  const RunFolder folder(given);
  if (std::filesystem::exists(folder.report())) return folder.report();
  throw UserError(given.string() + " has no report.json" +
                  (std::filesystem::exists(folder.events()) ? ": the run has not ended; its events are in events.jsonl"
                                                            : ": is it a run folder?"));
}

std::string finished_message(const RunFolder& folder) {
  return folder.root().string() + " is finished (see " + folder.report().string() +
         "): nothing was changed; choose another run_dir or change the configuration for a new run";
}

}  // namespace mha
