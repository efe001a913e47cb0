#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "data/corpus.h"
#include "report/measurements.h"

namespace mha {

/// A wrong variant of a pair's target that differs in one phenomenon. All are raw text.
struct Contrast {
  std::size_t pair = 0;  // index of the line
  std::string phenomenon, wrong;
};

/// The contrasts of an annotation file: one JSON object a line, one line a pair of `text`, with
/// "contrasts": [{"phenomenon": "…", "target": "the wrong sentence", …}]; other keys are not read (data/README.md).
/// Throws UserError naming file and line for what is not so, for a wrong sentence that equals the right one, and, with
/// both counts, if the file has another number of lines than the text.
std::vector<Contrast> read_contrasts(const std::filesystem::path& annotations, const ParallelText& text);

/// Log-probability of each target given its source, in the order of the pairs (source, target).
using PairScorer = std::function<std::vector<double>(const std::vector<std::pair<std::string, std::string>>&)>;

/// Per phenomenon, by name, the share of contrasts whose right sentence is strictly more probable than the wrong one;
/// one that is not a number is not more probable. The scorer is called once, with every right sentence in it once.
std::vector<PhenomenonReport> score_phenomena(const std::vector<Contrast>& contrasts, const ParallelText& text,
                                              const PairScorer& scorer);

/// The 95 % score interval of a binomial share (Wilson, 1927); [0, 1] for n = 0.
struct AccuracyInterval {
  double low = 0, high = 1;
};
AccuracyInterval wilson_interval(std::int64_t correct, std::int64_t n);

/// A line of headings and a line per phenomenon.
std::string phenomena_table(const std::vector<PhenomenonReport>& phenomena);

}  // namespace mha
