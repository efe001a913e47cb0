#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/run_report.h"

namespace mha {

struct RunStart {
  std::string version, commit, config_hash;
  std::int64_t seed = 0, num_params = 0;

  template <class V>
  static void fields(V& v) {
    using T = RunStart;
    v(&T::version, "version", "", "Version of mha-train.");
    v(&T::commit, "commit", "", "Commit it was built from.");
    v(&T::config_hash, "config_hash", "SHA-256", "As in the report's provenance.");
    v(&T::seed, "seed", "", "Seed of everything random.");
    v(&T::num_params, "num_params", "parameters", "All of them; a tied matrix counts once.");
  }
};

struct RunEnd {
  RunStatus status = RunStatus::failed;
  std::string reason;
  std::int64_t num_updates = 0;

  template <class V>
  static void fields(V& v) {
    using T = RunEnd;
    v(&T::status, "status", "", "As in the report.");
    v(&T::reason, "reason", "", "Why the run ended.");
    v(&T::num_updates, "num_updates", "updates", "Updates made, skipped ones counted.");
  }
};

enum class EventKind { run_start, train, validation, checkpoint, skipped_update, run_end };
constexpr std::array<std::string_view, 6> enum_names(EventKind) {
  return {"run_start", "train", "validation", "checkpoint", "skipped_update", "run_end"};
}
/// What an event says; the alternatives in the order of EventKind.
using EventBody = std::variant<RunStart, TrainPoint, ValidationPoint, CheckpointRecord, SkippedUpdate, RunEnd>;

struct Event {
  std::string time;  // UTC
  EventBody body;
  EventKind kind() const { return static_cast<EventKind>(body.index()); }
};

/// events.jsonl: one JSON object a line with "event", "time" and the fields of the kind; each is in the file when
/// write() returns. A resumed run first cuts the file back to the position that its checkpoint holds, so that its
/// events equal those of a run that was never stopped.
class EventLog {
 public:
  /// Opens the file, made if it is not there, and takes off a half line at its end. UserError if that fails.
  explicit EventLog(std::filesystem::path file);
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  /// UserError naming file and reason; a line that did not fit is taken off again.
  void write(const EventBody& body);
  /// Bytes written so far, synced to the disk first: a checkpoint must not know of events that a power cut can take.
  std::int64_t position();
  /// Cuts the file to `position` bytes. UserError if it has fewer.
  void truncate_to(std::int64_t position);

 private:
  [[noreturn]] void fail(const char* what) const;
  std::filesystem::path file_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

/// All events; a half last line is left out. UserError naming file and line for anything else that is not an event.
std::vector<Event> read_events(const std::filesystem::path& file);

/// Fills the curve, the validations, the best of them (by `metric`, "nll_loss" or "bleu") and the skipped updates of a
/// report from the events of its run.
void add_events(const std::vector<Event>& events, const std::string& metric, TrainingReport& training);

}  // namespace mha
