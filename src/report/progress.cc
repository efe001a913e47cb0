#include "report/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/text.h"

namespace mha {
namespace {

constexpr double kSecondsBetweenDraws = 0.1;
constexpr int kDefaultWidth = 80;

/// Carriage return and "erase to the end of the line" (ECMA-48).
constexpr const char* kClearLine = "\r\x1b[K";

std::string number(double value, const char* format) {
  if (std::isnan(value)) return "-";
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}

std::string updates(const Progress& p) {
  std::string out = "update " + format_count(p.num_updates);
  if (!p.max_update || *p.max_update <= 0) return out;
  const double share = static_cast<double>(p.num_updates) / static_cast<double>(*p.max_update);
  return out + "/" + format_count(*p.max_update) + " (" + format_fixed(std::floor(100 * share), 0) + " %)";
}

/// The parts from left to right, which is also from the most to the least important.
std::vector<std::string> parts(const Progress& p) {
  std::vector<std::string> out = {updates(p)};
  if (std::isfinite(p.seconds_left)) out.push_back("ETA " + format_duration(p.seconds_left));
  out.push_back("epoch " + std::to_string(p.epoch));
  out.push_back("loss " + number(p.loss, "%.3f"));
  out.push_back("ppl " + number(p.ppl, "%.4g"));
  out.push_back("wps " + (std::isfinite(p.wps) ? format_count(std::llround(p.wps)) : "-"));
  out.push_back("lr " + number(p.lr, "%.3g"));
  out.push_back("gnorm " + number(p.gnorm, "%.3g"));
  return out;
}

}  // namespace

int terminal_width(std::FILE* stream) {
  winsize size{};
  return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kDefaultWidth;
}

std::string format_progress(const Progress& progress, int width) {
  std::vector<std::string> all = parts(progress);
  std::string line = join(all, " | ");
  while (width > 0 && line.size() > static_cast<std::size_t>(width) && all.size() > 1) {
    all.pop_back();
    line = join(all, " | ");
  }
  return width > 0 ? line.substr(0, static_cast<std::size_t>(width)) : line;
}

ProgressLine::ProgressLine(std::FILE* stream) : ProgressLine(stream, isatty(fileno(stream)) == 1, 0) {}

ProgressLine::ProgressLine(std::FILE* stream, bool terminal, int width)
    : stream_(stream), terminal_(terminal), width_(width) {}

void ProgressLine::live(const Progress& progress) {
  if (!terminal_ || (drawn_ && since_drawn_->seconds() < kSecondsBetweenDraws)) return;
  draw(progress);
}

void ProgressLine::line(const Progress& progress) {
  if (terminal_) {
    draw(progress);
    return;
  }
  std::fprintf(stream_, "%s\n", format_progress(progress).c_str());
  std::fflush(stream_);
}

void ProgressLine::draw(const Progress& progress) {
  // One column stays free: some terminals wrap when the last one is written.
  const int columns = (width_ > 0 ? width_ : terminal_width(stream_)) - 1;
  std::fprintf(stream_, "%s%s", kClearLine, format_progress(progress, columns > 0 ? columns : 1).c_str());
  std::fflush(stream_);
  drawn_ = true;
  since_drawn_.emplace();
}

void ProgressLine::clear() {
  if (!drawn_) return;
  std::fputs(kClearLine, stream_);
  std::fflush(stream_);
  drawn_ = false;
}

}  // namespace mha
