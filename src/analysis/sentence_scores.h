#pragma once

#include <filesystem>
#include <vector>

#include "base/json.h"
#include "metrics/bleu.h"

namespace mha {

/// The options behind a reported BLEU, which its JSON object names. UserError if it is no such object with a score.
BleuOptions scored_by(const json& bleu);

/// Statistics of each line of a file of translations. UserError if they do not add up to `reported`, the BLEU that was
/// reported, or that is not a number: translations or references are no longer what was scored.
std::vector<BleuStats> sentence_stats(const std::filesystem::path& hypotheses, const BleuOptions& options,
                                      double reported, const References& references);

}  // namespace mha
