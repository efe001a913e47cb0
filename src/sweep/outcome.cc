#include "sweep/outcome.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "base/stop.h"

namespace mha {
namespace {

constexpr int kSignalBase = static_cast<int>(ExitCode::signal_base);

std::optional<RunReport> readable_report(const RunFolder& folder) {
  try {
    if (std::filesystem::exists(folder.report())) return read_report(folder.report());
  } catch (const UserError&) {
    // A damaged report says nothing; what the process said of it is in the log.
  }
  return std::nullopt;
}

Outcome of_failure(const std::string& reason, std::optional<RunReport> report) {
  const bool memory = tells_lack_of_memory(reason);
  return {memory ? SweepRunStatus::out_of_memory : SweepRunStatus::failed, reason, std::move(report)};
}

Outcome of_report(RunReport report) {
  const std::string reason = report.reason;
  switch (report.status) {
    case RunStatus::completed:
      return {SweepRunStatus::done, "", std::move(report)};
    case RunStatus::interrupted:
      return {SweepRunStatus::interrupted, reason, std::move(report)};
    case RunStatus::diverged:
      return {SweepRunStatus::diverged, reason, std::move(report)};
    case RunStatus::failed:
      break;
  }
  return of_failure(reason, std::move(report));
}

bool asks_to_stop(int signal_number) { return std::ranges::count(kStopSignals, signal_number) > 0; }

std::string name_of(int signal_number) {
  return "signal " + std::to_string(signal_number) + " (" + strsignal(signal_number) + ")";
}

}  // namespace

bool tells_lack_of_memory(const std::string& text) {
  constexpr std::array<std::string_view, 5> words = {"can't allocate memory", "Cannot allocate memory", "bad_alloc",
                                                     "out of memory", "not enough memory"};
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

std::string last_error(const std::string& log) {
  constexpr std::string_view marker = " error ";  // "12:34:56 error …"
  constexpr std::size_t time = std::string_view("12:34:56").size(), most = 500;
  const std::string_view text = std::string_view(log).substr(0, log.find_last_not_of("\n ") + 1);
  std::size_t line = text.rfind('\n') + 1;  // npos + 1 is 0
  std::size_t start = line;
  for (;;) {
    if (text.substr(line).size() > time && text.substr(line + time).starts_with(marker)) {
      start = line + time + marker.size();
      break;
    }
    if (line == 0) break;
    line = line == 1 ? 0 : text.rfind('\n', line - 2) + 1;
  }
  return std::string(text.substr(start, most));
}

Outcome judge(const RunFolder& folder, const EndedJob& ended, const std::string& log) {
  std::optional<RunReport> report = readable_report(folder);
  const bool completed = report && report->status == RunStatus::completed;
  if (!completed && !ended.lacked_memory.empty())
    return {SweepRunStatus::out_of_memory, ended.lacked_memory, std::move(report)};
  if (!completed && !ended.killed_because.empty())
    return {SweepRunStatus::interrupted, ended.killed_because, std::move(report)};
  // A report with another code is of an earlier process.
  if (report && (completed || report->exit_code == ended.exit_code.value_or(static_cast<int>(report->exit_code))))
    return of_report(*std::move(report));
  const int code = ended.exit_code.value_or(0);
  const int signal_number = code - kSignalBase;
  const std::string said = last_error(log);
  if (ended.by_signal && !asks_to_stop(signal_number)) {
    if (tells_lack_of_memory(said)) return {SweepRunStatus::out_of_memory, said, std::move(report)};
    return {SweepRunStatus::failed, "killed by " + name_of(signal_number), std::move(report)};
  }
  if (asks_to_stop(signal_number)) {
    return {SweepRunStatus::interrupted, "ended by " + name_of(signal_number) + " before it could save",
            std::move(report)};
  }
  if (!said.empty()) return of_failure(said, std::move(report));
  return of_failure(
      ended.exit_code ? "returned " + std::to_string(code) + " and said nothing" : "ended without a report",
      std::move(report));
}

Outcome judge_folder(const RunFolder& folder) {
  if (std::optional<RunReport> report = readable_report(folder)) return of_report(*std::move(report));
  if (std::filesystem::exists(folder.config()))
    return {SweepRunStatus::interrupted, "its process ended without a report", std::nullopt};
  return {SweepRunStatus::pending, "", std::nullopt};
}

}  // namespace mha
