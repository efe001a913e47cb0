#include "sweep/status.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <span>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

namespace mha {
namespace {

constexpr double kSecondsBetweenDraws = 0.5;
constexpr int kLabelColumns = 28, kBarColumns = 24;
constexpr std::size_t kMostRunningLines = 16;  // a queue may run hundreds; lines that scroll away cannot be redrawn

/// In at most so many columns, without breaking a character.
std::string cut_to(std::string text, int columns) {
  std::size_t end = std::min(text.size(), static_cast<std::size_t>(std::max(columns, 0)));
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text;
}

std::string bar(double share) {
  const double whole = std::clamp(share, 0.0, 1.0) * kBarColumns;
  const auto full = static_cast<std::size_t>(whole);
  return "[" + std::string(full, '#') + std::string(kBarColumns - full, '.') + "]";
}

std::string counted(std::int64_t count, const char* what) {
  return count == 0 ? "" : ", " + std::to_string(count) + " " + what;
}

/// The last whole lines of a file, in about so many bytes.
std::vector<std::string> last_lines(const std::filesystem::path& file, std::streamoff bytes) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return {};
  const std::streamoff size = in.tellg();
  in.seekg(std::max<std::streamoff>(0, size - bytes));
  std::string text(static_cast<std::size_t>(std::min(size, bytes)), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  std::vector<std::string> lines = split(text, '\n');
  if (!lines.empty()) lines.pop_back();  // empty, or half a line that is being written
  if (size > bytes && !lines.empty()) lines.erase(lines.begin());
  return lines;
}

/// What the newest events of a run say; a line that cannot be read is passed over, others follow.
SweepView::Line progress_of(const RunFolder& folder) {
  SweepView::Line line;
  for (const std::string& text : last_lines(folder.events(), 16384)) {
    const json event = json::parse(text, nullptr, false);
    if (!event.is_object() || !event.contains("event")) continue;
    const auto number = [&](const char* key) {
      return event.contains(key) && event[key].is_number() ? event[key].get<double>() : kUnknown;
    };
    if (event["event"] == "validation") line.nll = number("nll_loss");
    if (event["event"] != "train" || std::isnan(number("num_updates"))) continue;
    line.progress.num_updates = std::llround(number("num_updates"));
    line.progress.epoch = std::llround(number("epoch"));
    line.progress.loss = number("loss");
    line.progress.ppl = number("ppl");
    line.progress.wps = number("wps");
  }
  return line;
}

std::optional<std::int64_t> max_update_of(const json& config) {
  const json::json_pointer path("/train/max_update");
  if (!config.contains(path) || !config[path].is_number_integer()) return std::nullopt;
  return config[path].get<std::int64_t>();
}

bool is_open(SweepRunStatus status) {
  return status == SweepRunStatus::pending || status == SweepRunStatus::running ||
         status == SweepRunStatus::interrupted;
}

}  // namespace

std::string label_of(const SweepRun& run) { return run.cell + " seed " + std::to_string(run.seed); }

std::string result_of(const Outcome& outcome) {
  if (outcome.status != SweepRunStatus::done || !outcome.report) return outcome.reason;
  const RunReport& report = *outcome.report;
  std::vector<std::string> parts;
  const json none;
  const json& bleu = report.test && report.test->bleu.contains("score") ? report.test->bleu["score"] : none;
  if (bleu.is_number()) parts.push_back("BLEU " + format_fixed(bleu.get<double>(), 2));
  if (report.test && std::isfinite(report.test->nll_loss))
    parts.push_back("test nll " + format_fixed(report.test->nll_loss, 3));
  if (report.training.best)
    parts.push_back("valid " + report.training.best->metric + " " + format_fixed(report.training.best->value, 3));
  parts.push_back(format_duration(report.throughput.seconds.total));
  return join(parts, ", ");
}

std::vector<std::string> status_lines(const SweepView& view, int width) {
  std::vector<std::string> lines;
  const std::size_t shown = view.running.size() > kMostRunningLines ? kMostRunningLines - 1 : view.running.size();
  for (const SweepView::Line& line : std::span(view.running).first(shown)) {
    std::string label = cut_to(line.label, kLabelColumns);
    label.resize(std::max<std::size_t>(label.size(), kLabelColumns), ' ');
    const std::string nll = std::isfinite(line.nll) ? " | valid nll " + format_fixed(line.nll, 3) : "";
    const int rest = width - kLabelColumns - 1 - static_cast<int>(nll.size());
    lines.push_back(cut_to(label + " " + format_progress(line.progress, std::max(rest, 1)) + nll, width));
  }
  if (shown < view.running.size())
    lines.push_back(cut_to("and " + std::to_string(view.running.size() - shown) + " more", width));
  std::string total = bar(view.share) + " " + std::to_string(view.done) + "/" + std::to_string(view.total) + " done" +
                      counted(view.bad, "failed") + counted(view.left_out, "cut");
  if (std::isfinite(view.seconds_left)) total += ", ETA " + format_duration(view.seconds_left);
  lines.push_back(cut_to(total, width));
  if (!view.best.empty()) lines.push_back(cut_to("best so far: " + view.best, width));
  return lines;
}

StatusPrinter::StatusPrinter(const Journal& journal, const Options& options) : journal_(journal), options_(options) {
  for (const std::size_t i : journal_.mine()) {
    if (journal_.run(i).status == SweepRunStatus::done) consider(i, judge_folder(journal_.folder(i)));
  }
  share_at_start_ = view().share;
}

SweepView StatusPrinter::view() const {
  SweepView view;
  double work = 0, worked = 0;
  for (const std::size_t i : journal_.mine()) {
    const SweepRun& run = journal_.run(i);
    ++view.total;
    view.done += run.status == SweepRunStatus::done ? 1 : 0;
    view.left_out += run.status == SweepRunStatus::cut ? 1 : 0;
    if (!is_open(run.status)) view.bad += run.status != SweepRunStatus::done && run.status != SweepRunStatus::cut;
    const double flops = run.cost.train_flops_per_token;
    const double weight = std::isfinite(flops) && flops > 0 ? flops : 1;
    if (std::ranges::count(running_, i) > 0) {
      SweepView::Line line = progress_of(journal_.folder(i));
      line.label = label_of(run);
      line.progress.max_update = max_update_of(journal_.config(i));
      if (const auto most = line.progress.max_update; most && *most > 0)
        worked += weight * static_cast<double>(line.progress.num_updates) / static_cast<double>(*most);
      view.running.push_back(std::move(line));
    }
    work += weight;
    if (!is_open(run.status)) worked += weight;
  }
  view.share = work > 0 ? worked / work : 0;
  const double now = view.share - share_at_start_;
  if (now > 0.01) view.seconds_left = watch_.seconds() * (1 - view.share) / now;
  view.best = best_;
  return view;
}

/// Whether a finished run is the best so far: by BLEU on the test split, by validation loss where nothing has BLEU.
void StatusPrinter::consider(std::size_t run, const Outcome& outcome) {
  if (outcome.status != SweepRunStatus::done || !outcome.report) return;
  const RunReport& report = *outcome.report;
  const bool has_bleu = report.test && report.test->bleu.contains("score") && report.test->bleu["score"].is_number();
  if (!has_bleu && (best_is_bleu_ || !report.training.best || report.training.best->metric == "bleu")) return;
  const double score = has_bleu ? report.test->bleu["score"].get<double>() : -report.training.best->value;
  if (has_bleu == best_is_bleu_ && !(std::isnan(best_score_) || score > best_score_)) return;
  best_score_ = score;
  best_is_bleu_ = has_bleu;
  best_ = label_of(journal_.run(run)) + ", " + result_of(outcome);
}

void StatusPrinter::started(std::size_t run) {
  running_.push_back(run);
  clear();
  const std::int64_t attempts = journal_.run(run).attempts;
  log_info(label_of(journal_.run(run)) + ": started" + (attempts > 1 ? ", attempt " + std::to_string(attempts) : "") +
           ", log " + journal_.run(run).log);
}

void StatusPrinter::ended(std::size_t run, const Outcome& outcome) {
  std::erase(running_, run);
  consider(run, outcome);
  clear();
  const auto settled =
      std::ranges::count_if(journal_.mine(), [&](std::size_t i) { return !is_open(journal_.run(i).status); });
  std::string result = result_of(outcome);
  std::ranges::replace(result, '\n', ' ');  // a line for each change of state
  const std::string message = label_of(journal_.run(run)) + ": " + to_string(outcome.status) + " (" +
                              std::to_string(settled) + "/" + std::to_string(journal_.mine().size()) + ")" +
                              (result.empty() ? "" : ": " + result);
  if (outcome.status == SweepRunStatus::done || outcome.status == SweepRunStatus::cut ||
      outcome.status == SweepRunStatus::interrupted) {
    log_info(message);
  } else {
    log_error(message);
  }
}

void StatusPrinter::note(const std::string& message) {
  clear();
  log_info(message);
}

void StatusPrinter::tick() {
  if (!options_.terminal || (since_drawn_ && since_drawn_->seconds() < kSecondsBetweenDraws)) return;
  // One column stays free: some terminals wrap when the last one is written.
  const int width = (options_.width > 0 ? options_.width : terminal_width(options_.stream)) - 1;
  const std::vector<std::string> lines = status_lines(view(), width);
  clear();
  for (const std::string& line : lines) std::fprintf(options_.stream, "%s\n", line.c_str());
  std::fflush(options_.stream);
  lines_drawn_ = static_cast<int>(lines.size());
  since_drawn_.emplace();
}

void StatusPrinter::clear() {
  if (lines_drawn_ == 0) return;
  // So many lines up, and erase to the end of the screen (ECMA-48).
  std::fprintf(options_.stream, "\r\x1b[%dA\x1b[J", lines_drawn_);
  std::fflush(options_.stream);
  lines_drawn_ = 0;
  since_drawn_.reset();
}

}  // namespace mha
