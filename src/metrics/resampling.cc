#include "metrics/resampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "base/error.h"
#include "base/random.h"

namespace mha {
namespace {

/// How many of `n` sorted resamples lie below the interval, and as many above it: sacreBLEU's n // 40 for 95 %.
std::size_t tail_count(std::size_t n, double alpha) {
  constexpr double rounding = 1e-9;
  return static_cast<std::size_t>(static_cast<double>(n) * alpha / 2.0 + rounding);
}

Interval percentiles(std::span<const double> values, double alpha) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t tail = tail_count(sorted.size(), alpha);
  return {sorted[tail], sorted[sorted.size() - tail - 1]};
}

/// Statistics of sentences without the orders that are not used: resampling is bound by memory.
template <std::size_t kOrders>
std::vector<double> resampled_scores(std::span<const BleuStats> sentences, const Resamples& resamples,
                                     const BleuOptions& options) {
  using Row = std::array<std::int64_t, 2 * kOrders + 2>;  // match, total, hyp_len, ref_len
  std::vector<Row> rows;
  rows.reserve(sentences.size());
  for (const BleuStats& sentence : sentences) {
    Row& row = rows.emplace_back();
    std::copy_n(sentence.match.begin(), kOrders, row.begin());
    std::copy_n(sentence.total.begin(), kOrders, row.begin() + kOrders);
    row[2 * kOrders] = sentence.hyp_len;
    row[2 * kOrders + 1] = sentence.ref_len;
  }
  std::vector<double> scores;
  scores.reserve(resamples.count());
  for (std::size_t i = 0; i < resamples.count(); ++i) {
    Row sum{};
    for (const std::uint32_t index : resamples.row(i)) {
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += rows[index][k];
    }
    BleuStats stats;
    std::copy_n(sum.begin(), kOrders, stats.match.begin());
    std::copy_n(sum.begin() + kOrders, kOrders, stats.total.begin());
    stats.hyp_len = sum[2 * kOrders];
    stats.ref_len = sum[2 * kOrders + 1];
    scores.push_back(bleu_of_sum(stats, options));
  }
  return scores;
}

/// (hits + 1) / (resamples + 1): the test set itself counts as one more resample.
double smoothed_share(std::ptrdiff_t hits, std::size_t resamples) {
  return static_cast<double>(hits + 1) / static_cast<double>(resamples + 1);
}

}  // namespace

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance_of(std::span<const double> values) {
  if (values.size() < 2) return 0.0;
  const double mean = mean_of(values);
  double squares = 0.0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return squares / static_cast<double>(values.size() - 1);
}

Resamples Resamples::draw(std::size_t count, std::size_t sentences, std::uint64_t seed) {
  if (sentences > std::numeric_limits<std::uint32_t>::max()) throw UserError("too many sentences to resample");
  Resamples out;
  out.sentences_ = sentences;
  out.indices_.resize(count * sentences);
  RandomStream random(derive_key({seed, static_cast<std::uint64_t>(Stream::resample)}));
  for (auto& index : out.indices_) index = static_cast<std::uint32_t>(random.below(sentences));
  return out;
}

Resamples Resamples::from_indices(const std::vector<std::vector<std::size_t>>& rows) {
  Resamples out;
  out.sentences_ = rows.empty() ? 0 : rows.front().size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto outside = std::ranges::find_if(rows[i], [&](std::size_t index) { return index >= out.sentences_; });
    if (rows[i].size() != out.sentences_ || outside != rows[i].end()) {
      throw UserError("resample " + std::to_string(i) + ": must be " + std::to_string(out.sentences_) +
                      " indices below " + std::to_string(out.sentences_));
    }
    for (const std::size_t index : rows[i]) out.indices_.push_back(static_cast<std::uint32_t>(index));
  }
  return out;
}

BootstrapScores bootstrap_scores(std::span<const BleuStats> sentences, const Resamples& resamples,
                                 const BleuOptions& options) {
  options.check();
  if (sentences.size() != resamples.sentences()) {
    throw UserError("resamples of " + std::to_string(resamples.sentences()) + " sentences do not fit " +
                    std::to_string(sentences.size()) + " sentences");
  }
  BleuStats all;
  for (const BleuStats& sentence : sentences) all += sentence;
  const bool usual = options.max_ngram_order <= 4;
  return {.score = bleu_of_sum(all, options),
          .resampled = usual ? resampled_scores<4>(sentences, resamples, options)
                             : resampled_scores<kMaxBleuOrder>(sentences, resamples, options)};
}

BootstrapInterval bootstrap_interval(std::span<const double> resampled) {
  if (resampled.empty()) return {};
  const Interval ends = percentiles(resampled, 0.05);
  return {.mean = mean_of(resampled), .half_width = 0.5 * (ends.high - ends.low)};
}

PairedBootstrap paired_bootstrap(const BootstrapScores& baseline, const BootstrapScores& system, double alpha) {
  const std::size_t n = baseline.resampled.size();
  if (n == 0 || n != system.resampled.size()) throw UserError("a paired bootstrap needs the same resamples of both");
  std::vector<double> differences(n), sizes(n);
  for (std::size_t i = 0; i < n; ++i) {
    differences[i] = system.resampled[i] - baseline.resampled[i];
    sizes[i] = std::abs(differences[i]);
  }
  PairedBootstrap out{.difference = system.score - baseline.score,
                      .variance = variance_of(differences),
                      .interval = percentiles(differences, alpha)};
  const double observed = std::abs(out.difference);
  const double centre = mean_of(differences), mean_size = mean_of(sizes);
  out.p =
      smoothed_share(std::ranges::count_if(differences, [&](double d) { return std::abs(d - centre) >= observed; }), n);
  // ">" and not ">=": a system against itself gets the smallest p-value there.
  out.p_sacrebleu = smoothed_share(std::ranges::count_if(sizes, [&](double d) { return d - mean_size > observed; }), n);
  return out;
}

}  // namespace mha
