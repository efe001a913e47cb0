#pragma once

#include <filesystem>
#include <string>

#include "analysis/scorecard.h"
#include "base/json.h"

namespace mha {

/// One side of a comparison.
struct GateSide {
  std::string origin;   // as the user named it
  std::string trouble;  // why its figures cannot pass, for a run that did not complete; else empty
  Scorecard card;
  std::filesystem::path hypotheses;  // its translations; empty: not at hand
  json config = json::object();      // the run's, which names the references; empty: not known
  json bleu;                         // the score as reported; null: none
};

/// A run folder, a report.json, the output of `mha-train eval --json` or a baseline file. UserError naming the file if
/// it is none of these.
GateSide read_gate_side(const std::filesystem::path& given);

/// The scorecard of a run to gate others by. UserError if the run did not complete, was not scored, or has a figure
/// that is not known: no other run could pass against it.
Scorecard baseline_of(const GateSide& side);

}  // namespace mha
