#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sweep/launcher.h"
#include "sweep/program.h"

namespace mha {

/// The sbatch script of an array: element i is job i, `at_once` of them at a time (0: as many as SLURM gives). What is
/// preempted or loses its node is queued again and goes on from its checkpoint.
std::string slurm_script(const std::string& program, const std::vector<Job>& jobs, std::int64_t at_once);

/// What SLURM says of a job that left the queue: "JobState=… ExitCode=a:b" of scontrol, or "STATE|a:b" of sacct. How
/// the element ended without its id and time; none if the text has neither.
std::optional<EndedJob> slurm_end(const std::string& text);

/// Jobs as elements of SLURM arrays. What start() is given goes into one array, submitted by the next wait(). The
/// elements are followed in squeue; how one ended says scontrol or, where there is accounting, sacct. Arrays stand in
/// slurm.json, so that a sweep started anew follows what an earlier one submitted and that is still in the queue.
class SlurmLauncher : public Launcher {
 public:
  struct Options {
    std::filesystem::path root;          // of the sweep
    std::string name, program;           // of the array; absolute, as the nodes see it
    std::vector<std::string> arguments;  // of sbatch: --time, --partition and what else the user gives
    std::int64_t at_once = 0;
    double poll_seconds = 5;
    ProgramRunner run = run_program;
  };
  explicit SlurmLauncher(Options options);

  void start(const Job& job) override;
  std::optional<EndedJob> wait(double seconds) override;
  /// Cancels what is queued; SLURM sends SIGTERM to what runs.
  void stop(int signal_number) override;

 private:
  struct Element {
    std::string array;
    std::size_t index = 0;
    Stopwatch watch;
    std::string name() const { return array + "_" + std::to_string(index); }
  };
  void adopt();
  void submit();
  void poll();
  /// Indices in the queue; none if SLURM cannot be asked just now.
  std::optional<std::vector<std::size_t>> queued(const std::string& array) const;
  EndedJob end_of(const std::string& id, const Element& element) const;
  std::filesystem::path file() const { return options_.root / "slurm.json"; }

  Options options_;
  std::vector<Job> new_jobs_;
  std::map<std::string, Element> adopted_, followed_;  // by the run's id
  std::deque<EndedJob> ended_;
  Stopwatch since_poll_;
  bool stopping_ = false;
};

}  // namespace mha
