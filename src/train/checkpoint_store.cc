#include "train/checkpoint_store.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"

namespace mha {
namespace {

constexpr std::string_view state_prefix = "state-", snapshot_prefix = "snapshot-", suffix = ".safetensors";

struct NumberedFile {
  std::int64_t update;
  std::filesystem::path path;
};

/// PREFIX-UPDATE.safetensors in a folder, oldest first. Left-over temporary files do not match.
std::vector<NumberedFile> numbered_files(const std::filesystem::path& folder, std::string_view prefix) {
  std::vector<NumberedFile> found;
  std::error_code ec;
  const std::filesystem::directory_iterator entries(folder, ec);
  if (ec) throw UserError("cannot look into " + folder.string() + ": " + ec.message());
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
    const std::string digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    if (digits.empty() || digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos) continue;
    found.push_back({std::stoll(digits), entry.path()});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.update < b.update; });
  return found;
}

std::filesystem::path numbered(const std::filesystem::path& folder, std::string_view prefix, std::int64_t update) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%07lld", static_cast<long long>(update));
  return folder / (std::string(prefix) + digits.data() + std::string(suffix));
}

/// Keeps the last `keep` files up to `update`, the one just written. Later ones go too: they are damaged or belong to a
/// course that was given up when the run was resumed from before them, and must not crowd out the new ones.
void keep_only_last(const std::filesystem::path& folder, std::string_view prefix, std::int64_t keep,
                    std::int64_t update) {
  auto files = numbered_files(folder, prefix);
  std::int64_t kept = 0;
  for (; !files.empty(); files.pop_back()) {
    const bool later = files.back().update > update;
    if (!later && kept++ < keep) continue;
    std::error_code ec;
    std::filesystem::remove(files.back().path, ec);
  }
}

CheckpointRecord record(CheckpointKind kind, const std::filesystem::path& path, std::int64_t update) {
  std::error_code ec;
  const auto bytes = std::filesystem::file_size(path, ec);
  return {kind, "checkpoints/" + path.filename().string(), update, ec ? 0 : static_cast<std::int64_t>(bytes)};
}

}  // namespace

CheckpointStore::CheckpointStore(Spec spec, ParameterStore& parameters, Optimizer& optimizer)
    : spec_(std::move(spec)), parameters_(parameters), optimizer_(optimizer) {
  make_directories(spec_.folder);
}

void CheckpointStore::save_state(const ProgressState& progress) {
  const at::Tensor values = parameters_.flat_values().cpu(), first = optimizer_.first_moment().cpu(),
                   second = optimizer_.second_moment().cpu();
  std::vector<TensorBytes> tensors;
  append_tensors(parameters_, values, "", tensors);
  append_tensors(parameters_, first, "optimizer.first_moment.", tensors);
  append_tensors(parameters_, second, "optimizer.second_moment.", tensors);
  write_safetensors(numbered(spec_.folder, state_prefix, progress.update), tensors,
                    {{"format", kStateFormat},
                     {"format_version", kCheckpointVersion},
                     {"model", dump_json(spec_.model, -1)},
                     {"update", std::to_string(progress.update)},
                     {"progress", dump_json(progress.to_json(), -1)}});
  keep_only_last(spec_.folder, state_prefix, spec_.keep_last, progress.update);
}

void CheckpointStore::restore_from(const std::filesystem::path& path, ProgressState& progress) {
  const SafetensorsFile file(path);
  const auto& metadata = file.metadata();
  const auto format = metadata.find("format"), state = metadata.find("progress");
  if (format == metadata.end() || format->second != kStateFormat || state == metadata.end()) {
    throw UserError("cannot resume from " + path.string() + ": it is not a training state");
  }
  read_weights(file, path, spec_.model, parameters_);
  read_tensors(file, path, "optimizer.first_moment.", parameters_, optimizer_.first_moment());
  read_tensors(file, path, "optimizer.second_moment.", parameters_, optimizer_.second_moment());
  progress.from_json(parse_json(state->second, path.string()), path.string());
}

bool CheckpointStore::restore(ProgressState& progress) {
  auto states = numbered_files(spec_.folder, state_prefix);
  std::string last_error;
  for (; !states.empty(); states.pop_back()) {
    try {
      restore_from(states.back().path, progress);
      return true;
    } catch (const UserError& error) {
      last_error = error.what();
      log_warning(last_error + "; trying the state before it");
    }
  }
  if (!last_error.empty()) throw UserError("no training state can be loaded; the last error: " + last_error);
  return false;
}

CheckpointRecord CheckpointStore::save_weights(CheckpointKind kind, const std::filesystem::path& path,
                                               const at::Tensor& flat, std::int64_t update) {
  write_weights(path, parameters_, flat, {spec_.model, update});
  return record(kind, path, update);
}

CheckpointRecord CheckpointStore::save_best(std::int64_t update) {
  return save_weights(CheckpointKind::best, best(), parameters_.flat_values(), update);
}

CheckpointRecord CheckpointStore::save_last(std::int64_t update) {
  return save_weights(CheckpointKind::last, last(), parameters_.flat_values(), update);
}

CheckpointRecord CheckpointStore::save_snapshot(std::int64_t update) {
  const auto saved = save_weights(CheckpointKind::snapshot, numbered(spec_.folder, snapshot_prefix, update),
                                  parameters_.flat_values(), update);
  keep_only_last(spec_.folder, snapshot_prefix, spec_.average_last, update);
  return saved;
}

std::optional<CheckpointRecord> CheckpointStore::save_average(std::int64_t update) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : numbered_files(spec_.folder, snapshot_prefix)) {
    if (file.update <= update) files.push_back(file.path);
  }
  if (files.empty()) return std::nullopt;
  at::Tensor mean = at::zeros_like(parameters_.flat_values());
  average_weights(files, spec_.model, parameters_, mean);
  return save_weights(CheckpointKind::average, average(), mean, update);
}

std::vector<CheckpointRecord> CheckpointStore::files() const {
  std::vector<CheckpointRecord> found;
  for (const auto& file : numbered_files(spec_.folder, state_prefix))
    found.push_back(record(CheckpointKind::state, file.path, file.update));
  for (const auto& file : numbered_files(spec_.folder, snapshot_prefix))
    found.push_back(record(CheckpointKind::snapshot, file.path, file.update));
  const auto named = [&](CheckpointKind kind, const std::filesystem::path& path) {
    if (!std::filesystem::exists(path)) return;
    try {
      const SafetensorsFile file(path, false);
      found.push_back(record(kind, path, update_of(file, path)));
    } catch (const UserError& error) {  // a list is no reason to fail
      log_warning(std::string(error.what()) + "; it is left out of the report");
    }
  };
  named(CheckpointKind::best, best());
  named(CheckpointKind::average, average());
  named(CheckpointKind::last, last());
  return found;
}

}  // namespace mha
