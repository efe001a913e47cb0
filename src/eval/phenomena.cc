#include "eval/phenomena.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

namespace mha {
namespace {

std::string text_of(const json& contrast, const char* key, const std::string& where) {
  if (!contrast.is_object() || !contrast.contains(key) || !contrast[key].is_string()) {
    throw UserError(where + ": every contrast is an object with the texts \"phenomenon\" and \"target\"");
  }
  return contrast[key].get<std::string>();
}

void add_contrasts(const json& annotation, const std::string& where, std::size_t pair,
                   std::vector<Contrast>& contrasts) {
  if (!annotation.is_object() || !annotation.contains("contrasts") || !annotation["contrasts"].is_array()) {
    throw UserError(where + ": an object with the list \"contrasts\" is needed (it may be empty)");
  }
  for (const json& contrast : annotation["contrasts"]) {
    contrasts.push_back({pair, text_of(contrast, "phenomenon", where), text_of(contrast, "target", where)});
  }
}

}  // namespace

std::vector<Contrast> read_contrasts(const std::filesystem::path& annotations, const ParallelText& text) {
  std::vector<Contrast> contrasts;
  std::size_t pair = 0;
  for_each_line(annotations, [&](std::string_view line) {
    const std::string where = annotations.string() + ", line " + std::to_string(pair + 1);
    if (pair < text.target.size()) {
      const std::size_t before = contrasts.size();
      add_contrasts(parse_json(line, where), where, pair, contrasts);
      for (std::size_t i = before; i < contrasts.size(); ++i) {
        if (contrasts[i].wrong == text.target[pair]) {
          throw UserError(where + ": the wrong sentence of \"" + contrasts[i].phenomenon + "\" is the right one");
        }
      }
    }
    ++pair;
  });
  if (pair != text.target.size()) {
    throw UserError(annotations.string() + " has " + std::to_string(pair) + " lines, but the text it belongs to has " +
                    std::to_string(text.target.size()) + "; one line per pair is needed");
  }
  return contrasts;
}

std::vector<PhenomenonReport> score_phenomena(const std::vector<Contrast>& contrasts, const ParallelText& text,
                                              const PairScorer& scorer) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::map<std::size_t, std::size_t> right_at;  // line -> place in `pairs`
  for (const Contrast& contrast : contrasts) {
    if (!right_at.try_emplace(contrast.pair, pairs.size()).second) continue;
    pairs.emplace_back(text.source.at(contrast.pair), text.target.at(contrast.pair));
  }
  const std::size_t first_wrong = pairs.size();
  for (const Contrast& contrast : contrasts) pairs.emplace_back(text.source[contrast.pair], contrast.wrong);

  const std::vector<double> log_probs = scorer(pairs);
  if (log_probs.size() != pairs.size())
    throw std::logic_error("score_phenomena: one log-probability per pair is needed");
  std::map<std::string, PhenomenonReport> by_name;
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    PhenomenonReport& report = by_name[contrasts[i].phenomenon];
    ++report.n;
    if (log_probs[right_at.at(contrasts[i].pair)] > log_probs[first_wrong + i]) ++report.correct;
  }
  std::vector<PhenomenonReport> reports;
  for (auto& [name, report] : by_name) {
    const AccuracyInterval interval = wilson_interval(report.correct, report.n);
    report.name = name;
    report.accuracy = static_cast<double>(report.correct) / static_cast<double>(report.n);
    report.low = interval.low;
    report.high = interval.high;
    reports.push_back(report);
  }
  return reports;
}

AccuracyInterval wilson_interval(std::int64_t correct, std::int64_t n) {
  if (n <= 0) return {};
  constexpr double z = 1.959963984540054;  // 97.5 % quantile of the normal distribution
  const double count = static_cast<double>(n), share = static_cast<double>(correct) / count;
  const double scale = 1.0 / (1.0 + z * z / count);
  const double centre = scale * (share + z * z / (2.0 * count));
  const double half = scale * z * std::sqrt(share * (1.0 - share) / count + z * z / (4.0 * count * count));
  // At the ends the exact values are 0 and 1; rounding must not leave them.
  return {correct <= 0 ? 0.0 : centre - half, correct >= n ? 1.0 : centre + half};
}

std::string phenomena_table(const std::vector<PhenomenonReport>& phenomena) {
  std::size_t width = std::string_view("phenomenon").size();
  for (const PhenomenonReport& p : phenomena) width = std::max(width, p.name.size());
  const int name_width = static_cast<int>(width);
  std::ostringstream out;
  const auto row = [&](const std::string& name, const std::string& n, const std::string& accuracy,
                       const std::string& range) {
    out << std::left << std::setw(name_width) << name << std::right << "  " << std::setw(7) << n << "  " << std::setw(8)
        << accuracy << "  " << std::setw(14) << range << "\n";
  };
  const auto percent = [](double share) { return format_fixed(100.0 * share, 1); };
  row("phenomenon", "n", "accuracy", "95 % interval");
  for (const PhenomenonReport& p : phenomena) {
    row(p.name, format_count(p.n), percent(p.accuracy), percent(p.low) + " - " + percent(p.high));
  }
  return out.str();
}

}  // namespace mha
