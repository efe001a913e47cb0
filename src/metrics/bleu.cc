#include "metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "metrics/ngrams.h"
#include "metrics/unicode.h"

namespace mha {
namespace {

struct SmoothingRow {
  BleuSmoothing smoothing;
  std::string_view name;
  std::optional<double> default_value;
};

constexpr std::array<SmoothingRow, 4> kSmoothings = {{
    {BleuSmoothing::kExp, "exp", std::nullopt},
    {BleuSmoothing::kFloor, "floor", 0.1},
    {BleuSmoothing::kAddK, "add-k", 1.0},
    {BleuSmoothing::kNone, "none", std::nullopt},
}};

const SmoothingRow& smoothing_row(BleuSmoothing smoothing) {
  return *std::ranges::find(kSmoothings, smoothing, &SmoothingRow::smoothing);
}

/// The value in force; 0 for methods without one.
double smooth_value(const BleuOptions& options) {
  return options.smooth_value.value_or(smoothing_row(options.smooth_method).default_value.value_or(0.0));
}

/// The reference length nearest to the hypothesis length; of two equally near ones the shorter.
std::int64_t nearest_length(std::int64_t hyp_len, std::span<const std::int64_t> ref_lens) {
  return *std::ranges::min_element(ref_lens, {}, [&](std::int64_t n) { return std::pair(std::abs(hyp_len - n), n); });
}

/// For each n-gram the most occurrences in any one reference.
NgramCounts merged_ngrams(const std::vector<std::vector<std::u32string>>& references, std::size_t order) {
  NgramCounts merged;
  for (const auto& words : references) {
    for (const auto& [ngram, count] : count_word_ngrams(words, order)) {
      std::int64_t& most = merged[ngram];
      most = std::max(most, count);
    }
  }
  return merged;
}

BleuStats sentence_stats(const std::vector<std::u32string>& hypothesis,
                         const std::vector<std::vector<std::u32string>>& references, std::size_t max_order) {
  BleuStats stats;
  stats.hyp_len = std::ssize(hypothesis);
  std::vector<std::int64_t> ref_lens;
  for (const auto& words : references) ref_lens.push_back(std::ssize(words));
  stats.ref_len = nearest_length(stats.hyp_len, ref_lens);
  for (std::size_t n = 1; n <= max_order; ++n) {
    const NgramCounts ngrams = count_word_ngrams(hypothesis, n);
    stats.total[n - 1] = ngram_total(ngrams);
    stats.match[n - 1] = ngram_matches(ngrams, merged_ngrams(references, n));
  }
  return stats;
}

double brevity_penalty(std::int64_t hyp_len, std::int64_t ref_len) {
  if (hyp_len >= ref_len) return 1.0;
  return hyp_len > 0 ? std::exp(1.0 - static_cast<double>(ref_len) / static_cast<double>(hyp_len)) : 0.0;
}

struct Precisions {
  std::array<double, kMaxBleuOrder> percent{};
  std::size_t orders;  // how many of them the geometric mean takes
};

/// Without a match the score is 0 whatever the smoothing.
bool has_match(const BleuStats& stats, const BleuOptions& options) {
  return std::ranges::any_of(std::span(stats.match).first(options.max_ngram_order), [](auto n) { return n > 0; });
}

/// n-gram precisions with smoothing, for a corpus with at least one match.
Precisions smoothed_precisions(const BleuStats& stats, const BleuOptions& options) {
  Precisions out{.orders = options.max_ngram_order};
  const double value = smooth_value(options);
  double halving = 1.0;
  for (std::size_t n = 0; n < options.max_ngram_order; ++n) {
    const double added = options.smooth_method == BleuSmoothing::kAddK && n > 0 ? value : 0.0;
    const double match = static_cast<double>(stats.match[n]) + added;
    const double total = static_cast<double>(stats.total[n]) + added;
    if (total == 0.0) break;  // smoothing needs n-grams of this order
    if (options.effective_order) out.orders = n + 1;
    if (match != 0.0) {
      out.percent[n] = 100.0 * match / total;
    } else if (options.smooth_method == BleuSmoothing::kExp) {
      halving *= 2.0;
      out.percent[n] = 100.0 / (halving * total);
    } else if (options.smooth_method == BleuSmoothing::kFloor) {
      out.percent[n] = 100.0 * value / total;
    }
  }
  return out;
}

double geometric_mean(std::span<const double> values) {
  double sum = 0.0;
  for (const double v : values) {
    if (v == 0.0) return 0.0;
    sum += std::log(v);
  }
  const double mean = std::exp(sum / static_cast<double>(values.size()));
  constexpr double rounding = 1e-9;  // exp(log(100)) is 100.00000000000004
  return mean > 100.0 && mean < 100.0 + rounding ? 100.0 : mean;
}

ScoreText describe(const BleuScore& score, const BleuOptions& options, std::size_t reference_count) {
  std::vector<std::string> precisions;
  for (const double p : score.precisions) precisions.push_back(format_fixed(p, 1));
  std::string smooth(bleu_smoothing_name(options.smooth_method));
  if (smoothing_row(options.smooth_method).default_value) smooth += "[" + format_fixed(smooth_value(options), 2) + "]";
  return {.name = "BLEU",
          .score = score.score,
          .verbose = join(precisions, "/") + " (BP = " + format_fixed(score.bp, 3) +
                     " ratio = " + format_fixed(score.ratio, 3) + " hyp_len = " + std::to_string(score.hyp_len) +
                     " ref_len = " + std::to_string(score.ref_len) + ")",
          .fields = {{"nrefs", std::to_string(reference_count)},
                     {"case", options.lowercase ? "lc" : "mixed"},
                     {"eff", options.effective_order ? "yes" : "no"},
                     {"tok", std::string(bleu_tokenizer_name(options.tokenize))},
                     {"smooth", smooth}}};
}

}  // namespace

BleuSmoothing parse_bleu_smoothing(std::string_view name) {
  const auto row = std::ranges::find(kSmoothings, name, &SmoothingRow::name);
  if (row != kSmoothings.end()) return row->smoothing;
  throw UserError("unknown BLEU smoothing \"" + std::string(name) + "\"; use " + join(bleu_smoothing_names(), ", "));
}

std::string_view bleu_smoothing_name(BleuSmoothing smoothing) { return smoothing_row(smoothing).name; }

std::vector<std::string> bleu_smoothing_names() {
  std::vector<std::string> names;
  for (const auto& row : kSmoothings) names.emplace_back(row.name);
  return names;
}

void BleuOptions::check() const {
  if (max_ngram_order < 1 || max_ngram_order > kMaxBleuOrder) {
    throw UserError("BLEU: max_ngram_order is " + std::to_string(max_ngram_order) + "; use 1 to " +
                    std::to_string(kMaxBleuOrder));
  }
  if (!smooth_value) return;
  const SmoothingRow& row = smoothing_row(smooth_method);
  if (!row.default_value) {
    throw UserError("BLEU: smoothing \"" + std::string(row.name) + "\" takes no value; only floor and add-k do");
  }
  if (!(std::isfinite(*smooth_value) && *smooth_value >= 0.0)) {
    throw UserError("BLEU: the smoothing value must be a number of at least 0");
  }
}

BleuStats& BleuStats::operator+=(const BleuStats& other) {
  for (std::size_t n = 0; n < kMaxBleuOrder; ++n) {
    match[n] += other.match[n];
    total[n] += other.total[n];
  }
  hyp_len += other.hyp_len;
  ref_len += other.ref_len;
  return *this;
}

std::vector<BleuStats> bleu_sentence_stats(const std::vector<std::string>& hypotheses, const References& references,
                                           const BleuOptions& options) {
  options.check();
  check_line_counts(hypotheses, references);
  const auto tokens = [&](const std::string& line) {
    return bleu_tokens(to_utf32(line), options.tokenize, options.lowercase);
  };
  std::vector<BleuStats> stats;
  stats.reserve(hypotheses.size());
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    std::vector<std::vector<std::u32string>> refs;
    for (const auto& reference : references) refs.push_back(tokens(reference[i]));
    stats.push_back(sentence_stats(tokens(hypotheses[i]), refs, options.max_ngram_order));
  }
  return stats;
}

BleuScore bleu_from_stats(std::span<const BleuStats> sentences, const BleuOptions& options,
                          std::size_t reference_count) {
  options.check();
  BleuStats sum;
  for (const auto& sentence : sentences) sum += sentence;
  const auto order = static_cast<std::ptrdiff_t>(options.max_ngram_order);
  BleuScore out{.score = bleu_of_sum(sum, options),
                .precisions = std::vector<double>(options.max_ngram_order, 0.0),
                .bp = brevity_penalty(sum.hyp_len, sum.ref_len),
                .ratio = sum.ref_len > 0 ? static_cast<double>(sum.hyp_len) / static_cast<double>(sum.ref_len) : 0.0,
                .hyp_len = sum.hyp_len,
                .ref_len = sum.ref_len,
                .counts = {sum.match.begin(), sum.match.begin() + order},
                .totals = {sum.total.begin(), sum.total.begin() + order},
                .text = {}};
  if (has_match(sum, options)) {
    const auto percent = smoothed_precisions(sum, options).percent;
    out.precisions.assign(percent.begin(), percent.begin() + order);
  }
  out.text = describe(out, options, reference_count);
  return out;
}

double bleu_of_sum(const BleuStats& sum, const BleuOptions& options) {
  if (!has_match(sum, options)) return 0.0;
  const Precisions precisions = smoothed_precisions(sum, options);
  return brevity_penalty(sum.hyp_len, sum.ref_len) *
         geometric_mean(std::span(precisions.percent).first(precisions.orders));
}

BleuScore corpus_bleu(const std::vector<std::string>& hypotheses, const References& references,
                      const BleuOptions& options) {
  return bleu_from_stats(bleu_sentence_stats(hypotheses, references, options), options, references.size());
}

}  // namespace mha
