#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/gate_side.h"
#include "metrics/resampling.h"

namespace mha {

/// The paired bootstrap of BLEU between two sides, or why there is none.
struct PairedBleu {
  std::optional<PairedBootstrap> test;
  std::int64_t resamples = 0;
  std::string why_not;
};

/// Needs the translations of both sides and, from the files that either run names, the references that were scored
/// against: what is missing or no longer the same is the reason why there is none. `resamples` 0: not asked for.
PairedBleu paired_bleu(const GateSide& base, const GateSide& candidate, std::int64_t resamples);

}  // namespace mha
