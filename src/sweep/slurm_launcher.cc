#include "sweep/slurm_launcher.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/stop.h"
#include "base/text.h"

namespace mha {
namespace {

/// What follows KEY= up to white space.
std::string value_of(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key + "=");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size() + 1;
  return text.substr(begin, text.find_first_of(" \n", begin) - begin);
}

std::optional<std::size_t> number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

EndedJob ended_in(const std::string& state, int code, int signal_number) {
  EndedJob ended;
  ended.by_signal = signal_number > 0;
  ended.exit_code = ended.by_signal ? static_cast<int>(ExitCode::signal_base) + signal_number : code;
  if (state == "OUT_OF_MEMORY") ended.lacked_memory = "killed by SLURM for lack of memory";
  if (state == "TIMEOUT") ended.killed_because = "ended by SLURM at its time limit";
  constexpr std::array<std::string_view, 5> from_outside = {"CANCELLED", "NODE_FAIL", "PREEMPTED", "DEADLINE",
                                                            "BOOT_FAIL"};
  if (std::ranges::count(from_outside, state) > 0) ended.killed_because = "ended by SLURM: " + state;
  return ended;
}

}  // namespace

std::string slurm_script(const std::string& program, const std::vector<Job>& jobs, std::int64_t at_once) {
  std::string script = "#!/bin/bash\n#SBATCH --array=0-" + std::to_string(jobs.size() - 1) +
                       (at_once > 0 ? "%" + std::to_string(at_once) : "") +
                       "\n#SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=" +
                       std::to_string(jobs.front().threads) + "\ncase $SLURM_ARRAY_TASK_ID in\n";
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    script += "  " + std::to_string(i) + ") exec " + shell_quoted(train_command(program, jobs[i])) + " 2>> " +
              shell_quoted({jobs[i].log}) + " ;;\n";
  }
  return script + "esac\n";
}

std::optional<EndedJob> slurm_end(const std::string& text) {
  std::string state = value_of(text, "JobState"), code = value_of(text, "ExitCode");
  if (state.empty()) {
    const std::vector<std::string> fields = split(first_line(text), '|');
    if (fields.size() < 2) return std::nullopt;
    state = fields[0].substr(0, fields[0].find(' '));  // "CANCELLED by 1000"
    code = fields[1];
  }
  const std::size_t colon = code.find(':');
  const auto value = number(code.substr(0, colon)),
             signal_number = colon == std::string::npos ? std::nullopt : number(code.substr(colon + 1));
  if (state.empty() || !value || !signal_number) return std::nullopt;
  return ended_in(state, static_cast<int>(*value), static_cast<int>(*signal_number));
}

SlurmLauncher::SlurmLauncher(Options options) : options_(std::move(options)) {
  make_directories(options_.root / "slurm");
  adopt();
}

void SlurmLauncher::adopt() {
  if (!std::filesystem::exists(file())) return;
  for (const json& array : read_json(file())) {
    const auto id = array["array"].get<std::string>();
    const auto there = queued(id);
    if (!there) throw UserError("cannot ask SLURM for the array " + id + " of an earlier start: squeue failed");
    for (const std::size_t index : *there) {
      if (index < array["runs"].size()) adopted_[array["runs"][index].get<std::string>()] = {id, index, {}};
    }
  }
}

void SlurmLauncher::start(const Job& job) {
  if (const auto found = adopted_.find(job.id); found != adopted_.end()) {
    log_info("run " + job.id + " is in the queue as " + found->second.name());
    followed_.insert(adopted_.extract(found));
  } else {
    new_jobs_.push_back(job);
  }
}

void SlurmLauncher::submit() {
  json arrays = std::filesystem::exists(file()) ? read_json(file()) : json::array();
  const auto folder = options_.root / "slurm";
  const auto script = folder / ("array-" + std::to_string(arrays.size() + 1) + ".sh");
  write_file(script, slurm_script(options_.program, new_jobs_, options_.at_once));
  std::vector<std::string> words = {"sbatch", "--parsable", "--job-name=" + options_.name,
                                    "--output=" + (folder / "%A_%a.out").string()};
  words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
  words.push_back(script.string());
  const ProgramResult result = options_.run(words);
  // "123" or "123;cluster"
  const std::string id = first_line(result.out).substr(0, first_line(result.out).find(';'));
  if (result.exit_code != 0 || !number(id)) {
    throw UserError("SLURM took no job (" + shell_quoted(words) + " returned " + std::to_string(result.exit_code) +
                    "): " + first_line(result.err.empty() ? result.out : result.err));
  }
  json runs = json::array();
  for (std::size_t i = 0; i < new_jobs_.size(); ++i) {
    runs.push_back(new_jobs_[i].id);
    followed_[new_jobs_[i].id] = {id, i, {}};
  }
  arrays.push_back({{"array", id}, {"runs", runs}});
  write_file(file(), dump_json(arrays) + "\n");
  log_info("submitted " + std::to_string(new_jobs_.size()) + " runs as SLURM array " + id);
  new_jobs_.clear();
}

std::optional<std::vector<std::size_t>> SlurmLauncher::queued(const std::string& array) const {
  const ProgramResult result = options_.run({"squeue", "--noheader", "--array", "--jobs", array, "--format", "%K"});
  if (result.exit_code != 0) {
    // So it says of a job that ended a while ago.
    if (result.err.find("Invalid job id") != std::string::npos) return std::vector<std::size_t>{};
    log_warning("squeue failed, asking again later: " + first_line(result.err));
    return std::nullopt;
  }
  std::vector<std::size_t> indices;
  for (const std::string& line : split(result.out, '\n')) {
    if (const auto index = number(line.substr(0, line.find(' ')))) indices.push_back(*index);
  }
  return indices;
}

EndedJob SlurmLauncher::end_of(const std::string& id, const Element& element) const {
  std::optional<EndedJob> ended;
  if (const auto shown = options_.run({"scontrol", "--oneliner", "show", "job", element.name()}); shown.exit_code == 0)
    ended = slurm_end(shown.out);
  if (!ended) {
    const auto counted = options_.run({"sacct", "--noheader", "--parsable2", "--allocations", "--jobs", element.name(),
                                       "--format", "State,ExitCode"});
    if (counted.exit_code == 0) ended = slurm_end(counted.out);
  }
  if (!ended) ended.emplace();  // SLURM has forgotten it: its run folder says the rest
  ended->id = id;
  ended->seconds = element.watch.seconds();
  return *ended;
}

void SlurmLauncher::poll() {
  std::set<std::string> arrays;
  for (const auto& [id, element] : followed_) arrays.insert(element.array);
  for (const std::string& array : arrays) {
    const auto there = queued(array);
    if (!there) continue;
    for (auto at = followed_.begin(); at != followed_.end();) {
      const auto& [id, element] = *at;
      if (element.array != array || std::ranges::count(*there, element.index) > 0) {
        ++at;
        continue;
      }
      ended_.push_back(end_of(id, element));
      at = followed_.erase(at);
    }
  }
}

std::optional<EndedJob> SlurmLauncher::wait(double seconds) {
  if (!new_jobs_.empty()) submit();
  const double between = stopping_ ? std::min(1.0, options_.poll_seconds) : options_.poll_seconds;
  if (ended_.empty() && since_poll_.seconds() >= between) {
    poll();
    since_poll_ = {};
  }
  if (ended_.empty()) {
    const Stopwatch watch;
    const int stop_before = stop_signal();
    while (watch.seconds() < seconds && stop_signal() == stop_before)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return std::nullopt;
  }
  const EndedJob ended = ended_.front();
  ended_.pop_front();
  return ended;
}

void SlurmLauncher::stop(int) {
  stopping_ = true;
  for (const Job& job : new_jobs_) {
    EndedJob never;
    never.id = job.id;
    never.killed_because = "not submitted";
    ended_.push_back(never);
  }
  new_jobs_.clear();
  for (const auto& [id, element] : followed_) options_.run({"scancel", element.name()});
}

}  // namespace mha
