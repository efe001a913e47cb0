#include "metrics/seed_variance.h"

#include <algorithm>
#include <cmath>

#include "metrics/student_t.h"

namespace mha {
namespace {

constexpr std::int64_t kMostSeeds = 10'000;

/// The difference that a test with this error finds with the power asked for.
double detectable(const DifferenceError& error, const SeedsQuestion& question) {
  return error.error * (student_t_quantile(1.0 - question.alpha / 2.0, error.freedom) +
                        student_t_quantile(question.power, error.freedom));
}

/// As expected with `seeds` in every cell: resampling then shows the sentences' part and what it shares with the
/// seeds'.
DifferenceError expected_error(VarianceParts parts, const SeedsQuestion& question, std::int64_t seeds) {
  const auto n = static_cast<double>(seeds);
  parts.seed_freedom = static_cast<double>(question.cells) * (n - 1.0);
  return difference_error(parts, question.sentence_variance + parts.shared * 2.0 / n, n, n);
}

}  // namespace

SeedSummary summarize_seeds(std::span<const double> scores, double alpha) {
  SeedSummary out{.mean = mean_of(scores), .deviation = std::nullopt, .interval = std::nullopt};
  if (scores.size() < 2) return out;
  const auto n = static_cast<double>(scores.size());
  out.deviation = std::sqrt(variance_of(scores));
  const double half = student_t_quantile(1.0 - alpha / 2.0, n - 1.0) * *out.deviation / std::sqrt(n);
  out.interval = Interval{out.mean - half, out.mean + half};
  return out;
}

DifferenceError difference_error(const VarianceParts& parts, double resampled, double seeds_a, double seeds_b) {
  const double share = 1.0 / seeds_a + 1.0 / seeds_b;
  // A variance by few seeds may come out below the part of it that resampling shows; it cannot be.
  const double seeds = std::max(parts.seeds, parts.shared);
  const double variance = resampled + (seeds - parts.shared) * share;
  // The variance of a variance estimate v with f degrees of freedom is 2 v^2 / f.
  double spread = 0.0;
  if (parts.seed_freedom > 0.0) spread += std::pow(seeds * share, 2) / parts.seed_freedom;
  if (parts.sentence_freedom > 0.0) spread += std::pow(resampled, 2) / parts.sentence_freedom;
  const double freedom = spread > 0.0 ? variance * variance / spread : std::max(1.0, parts.seed_freedom);
  return {.error = std::sqrt(variance), .freedom = freedom};
}

SeedsNeeded seeds_needed(const VarianceParts& parts, const SeedsQuestion& question) {
  SeedsNeeded out{.difference = question.difference,
                  .power = question.power,
                  .seed_deviation = std::sqrt(parts.seeds),
                  .sentence_deviation = std::sqrt(question.sentence_variance),
                  .seeds = std::nullopt,
                  .smallest_difference = std::nullopt};
  out.smallest_difference = detectable({*out.sentence_deviation, parts.sentence_freedom}, question);
  const auto enough = [&](std::int64_t n) {
    return detectable(expected_error(parts, question, n), question) <= question.difference;
  };
  if (!enough(kMostSeeds)) return out;
  std::int64_t too_few = 1, last = kMostSeeds;
  while (last - too_few > 1) {
    const std::int64_t middle = too_few + (last - too_few) / 2;
    (enough(middle) ? last : too_few) = middle;
  }
  out.seeds = last;
  return out;
}

}  // namespace mha
