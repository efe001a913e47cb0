#pragma once

#include <optional>
#include <string>

#include "report/run_folder.h"
#include "report/run_report.h"
#include "report/sweep_file.h"
#include "sweep/launcher.h"

namespace mha {

/// What became of a run. The run's own report decides: a run is done if that says completed, whatever else happened.
struct Outcome {
  SweepRunStatus status = SweepRunStatus::failed;
  std::string reason;
  std::optional<RunReport> report;  // as far as there is one that can be read
};

/// Of a job that ended; `log`: what it wrote to stderr.
Outcome judge(const RunFolder& folder, const EndedJob& ended, const std::string& log);

/// Of a run that no process works on, from its folder alone: done, failed, diverged, out_of_memory; interrupted if it
/// was begun and can go on; pending if not even that.
Outcome judge_folder(const RunFolder& folder);

/// The last error of a log: what follows "error" in its last error line, to the end; else its last line. At most 500
/// bytes.
std::string last_error(const std::string& log);

/// Whether the text is how this program, LibTorch or the system tell that memory did not suffice.
bool tells_lack_of_memory(const std::string& text);

}  // namespace mha
