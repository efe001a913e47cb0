#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "metrics/resampling.h"

// How much of a difference of BLEU is due to the seeds of trainings and how much to the choice of test sentences.

namespace mha {

/// Scores of several seeds of one cell on one test set.
struct SeedSummary {
  double mean = 0;
  std::optional<double> deviation;   // n - 1 in the denominator; none for one seed
  std::optional<Interval> interval;  // of the mean, 1 - alpha, by Student's t with n - 1 degrees of freedom
};
/// `scores` must not be empty.
SeedSummary summarize_seeds(std::span<const double> scores, double alpha = 0.05);

/// What the cells of a grid say together of one training. Variances in BLEU squared.
struct VarianceParts {
  double seeds = 0;             // between seeds of a cell on the test set, pooled over the cells
  double seed_freedom = 0;      // its degrees of freedom: sum of (seeds - 1)
  double shared = 0;            // the part of it that resampling sentences shows as well
  double sentence_freedom = 0;  // of a variance by resampling sentences
};

struct DifferenceError {
  double error = 0;    // standard error, BLEU
  double freedom = 0;  // degrees of freedom of its Student's t (Satterthwaite, 1946)
};
/// Of the difference of the means of two cells with `seeds_a` and `seeds_b` seeds; `resampled` is its variance over
/// resamples of the sentences. Never below what resampling alone says.
DifferenceError difference_error(const VarianceParts& parts, double resampled, double seeds_a, double seeds_b);

/// How many seeds in each cell let a difference of two cells be called (one pair, no family) with this power.
struct SeedsNeeded {
  double difference = 0, power = 0;               // what is asked
  std::optional<double> seed_deviation = {};      // between seeds, pooled over the cells; none if no cell has two
  std::optional<double> sentence_deviation = {};  // of a difference by the choice of sentences: no seeds reduce it
  std::optional<std::int64_t> seeds =
      {};  // none: unknown without seed_deviation, else no number up to 10,000 is enough
  std::optional<double> smallest_difference = {};  // what endless seeds could settle on these sentences with this power
};

struct SeedsQuestion {
  double difference = 0.3, power = 0.8, alpha = 0.05;
  double sentence_variance = 0;  // of a difference, without what is due to seeds
  std::size_t cells = 2;         // that share the pooled variance, each with the number of seeds sought
};
/// The smallest n >= 2 with (t_{1-alpha/2} + t_{power}) * error(n) <= difference.
SeedsNeeded seeds_needed(const VarianceParts& parts, const SeedsQuestion& question);

}  // namespace mha
